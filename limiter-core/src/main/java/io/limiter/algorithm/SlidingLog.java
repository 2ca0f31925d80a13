package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window log: at most {@code limit} permits in <em>any</em> interval of length {@code period}.
 *
 * <p>It stores when each permit was granted, and a permit is free again one period later. So it is exact, while a {@link FixedWindow} grants up to
 * twice the limit across a boundary, and a {@link SlidingCounter} estimates. It needs about 12 bytes for each microsecond with grants in the last
 * period, and in Redis up to four times that. Each decision reads the whole log.
 *
 * <p>A rejected request adds nothing. A changed limit or period applies immediately to earlier grants. Limiters with different periods can share a
 * log, such as the plans of one limit, or an old and a new definition while a new version is rolled out. Each counts all permits of its own period,
 * because the log keeps permits for the longest period that was used within its own length.
 *
 * <p>A refund removes the newest permits. A cancellation removes the permits of its grant, if they still count. A charge counts even above the limit.
 * If there are more than twice the permits of the largest limit, the oldest ones become one entry and leave with its last permit. More than
 * 1,073,741,824 charged permits count as that number, which is visible only in their refunds. If the clock steps back, grants in the future count as
 * made now, so no permits become free and no caller is rejected for longer than one period.
 */
public final class SlidingLog implements Limit, LimitStep<SlidingLog.State> {

    /** The largest limit. */
    public static final int MAX_LIMIT = 100_000;

    /** Above this limit a sliding log is expensive, and building a limiter logs a warning. */
    public static final int MODERATE_LIMIT = 1000;

    private final long limit;
    private final Duration period;

    private SlidingLog(long limit, Duration period) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit of a sliding log must be between 1 and " + MAX_LIMIT + ", was "
                    + limit + (limit < 1 ? "" : ": use a SlidingCounter, which needs no memory for each grant"));
        }
        Ranges.duration("period", period, Duration.ofMillis(1));

        this.limit = limit;
        this.period = period;
    }

    /** A limit on the permits in any interval of this length. */
    public static SlidingLog of(long limit, Duration period) {
        return new SlidingLog(limit, period);
    }

    public long periodMicros() {
        return Ranges.micros(period);
    }

    /** The most permits in any interval of one period, from 1 to 100,000. */
    public long limit() {
        return limit;
    }

    /** The length of the interval, from 1 ms to 1,000 days. */
    public Duration period() {
        return period;
    }

    @Override
    public SlidingLog asStep() {
        return this;
    }

    @Override
    public Class<State> stateType() {
        return State.class;
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public SlidingLog scaled(double share) {
        return share == 1.0 ? this : new SlidingLog(Ranges.share(limit, share), period);
    }

    @Override
    public String keySuffix() {
        return ":log";
    }

    /** False: the script replies only the part of a log that its own requests need. */
    @Override
    public boolean coversLargerRequests() {
        return false;
    }

    @Override
    public boolean takesFewer() {
        return true;
    }

    @Override
    public boolean leavesPermits() {
        return true;
    }

    /** Logs have no reservations, so the timeout is ignored. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        request.checkNoId(this);
        double now = nowMicros;
        State found = state == null ? State.EMPTY : state;
        State log = found.notAfter(now);
        LogUses uses = log.uses().with(this, now);
        LogView view = new LogView(log, uses, periodMicros(), now);
        double live = view.live;
        long permits = request.takenOf(limit - live - request.leave());
        long needed = request.neededFor(permits);
        boolean granted = !request.mayBeRejected() || live + needed <= limit;
        boolean taken = granted && request.takes();
        boolean cancels = request.ticketMicros() != 0;
        double refunded =
                cancels ? Math.min(request.permits(), view.permitsAt(request.ticketMicros())) : request.permits();
        double after = taken ? Math.min(live + permits, State.MOST_PERMITS - view.earlier) : live;
        if (request.action() == Request.Action.REFUND) {
            after = Math.max(0.0, live - refunded);
        }
        long retry = granted ? 0 : retryMicros(view, now, needed);
        // Entries in the future are moved permanently: moved only in memory, they would move along with the clock.
        boolean save = after != live || (log != found && !request.isPeek());
        double kept = Math.min(live, after);
        State changed = !save
                ? log
                : cancels && after < live
                        ? view.without(refunded, request.ticketMicros())
                        : view.replaced(view.earlier + kept, after - kept);
        long reset = after == 0.0 ? 0 : (long) leavesIn(changed.newestMicros(), now);
        return Step.of(
                save ? changed : state,
                Verdicts.of(request, permits, granted, limit, limit - after, retry, reset, taken ? nowMicros : 0));
    }

    private long retryMicros(LogView view, double now, long permits) {
        return permits > limit ? Verdict.NEVER_MICROS : (long) leavesIn(view.timeOf(view.live + permits - limit), now);
    }

    private double leavesIn(double grantedMicros, double now) {
        return grantedMicros + periodMicros() - now;
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        double leaves = state.size() == 0
                ? 0.0
                : state.newestMicros() + Math.max(periodMicros(), state.uses().periodMicros()) - nowMicros;
        return Ranges.lifetimeMillis(leaves);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof SlidingLog that && limit == that.limit && period.equals(that.period);
    }

    @Override
    public int hashCode() {
        int hash = Long.hashCode(limit);
        hash = 31 * hash + period.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "SlidingLog[limit=" + limit + ", period=" + period + "]";
    }

    /**
     * The state of a {@link SlidingLog}: an entry for each microsecond with grants, oldest first. An entry holds the
     * number of permits up to and including it, so counts and times are found by binary search.
     *
     * <p>An immutable value with {@code equals}.
     */
    public static final class State {

        /** The largest count, far above every limit. So the packed encoding can count modulo 2<sup>32</sup>. */
        static final double MOST_PERMITS = Integer.MAX_VALUE;

        /** The most permits that count of those that were granted before the current microsecond. */
        static final double MOST_OLD_PERMITS = 0x1p30;

        static final State EMPTY = of(new double[0], new double[0], LogUses.NONE);

        final double[] timesMicros;
        final double[] totals;
        private final LogUses uses;

        /**
         * @param timesMicros the times of the entries, in whole microseconds since the epoch, ascending
         * @param totals the number of permits up to and including each entry, ascending, from 1 to 2,147,483,647
         * @throws IllegalArgumentException if they are not a valid log
         */
        @JsonCreator
        public State(
                @JsonProperty(value = "timesMicros", required = true) double[] timesMicros,
                @JsonProperty(value = "totals", required = true) double[] totals,
                @JsonProperty(value = "uses", required = true) LogUses uses) {
            if (timesMicros.length != totals.length) {
                throw new IllegalArgumentException(
                        "not a log's state: " + timesMicros.length + " times and " + totals.length + " totals");
            }
            for (int i = 0; i < totals.length; i++) {
                double earlier = i == 0 ? -1.0 : timesMicros[i - 1];
                double fewer = i == 0 ? 0.0 : totals[i - 1];
                if (!(timesMicros[i] > earlier
                        && Ranges.isTime(timesMicros[i])
                        && timesMicros[i] % 1.0 == 0.0
                        && totals[i] > fewer
                        && Ranges.isCount(totals[i], MOST_PERMITS))) {
                    throw new IllegalArgumentException("not a log's state: " + totals[i] + " permits until "
                            + timesMicros[i] + ", after " + fewer + " until " + earlier);
                }
            }
            if (uses == null) {
                throw new IllegalArgumentException("not a log's state: without its limits");
            }
            this.timesMicros = timesMicros.clone();
            this.totals = totals.clone();
            this.uses = uses;
        }

        /** A log of these very arrays, without checks. */
        static State of(double[] timesMicros, double[] totals, LogUses uses) {
            return new State(timesMicros, totals, uses, true);
        }

        private State(
                double[] timesMicros, double[] totals, LogUses uses, @SuppressWarnings("unused") boolean trusted) {
            this.timesMicros = timesMicros;
            this.totals = totals;
            this.uses = uses;
        }

        @JsonProperty
        public double[] timesMicros() {
            return timesMicros.clone();
        }

        @JsonProperty
        public double[] totals() {
            return totals.clone();
        }

        @JsonProperty
        public LogUses uses() {
            return uses;
        }

        /** The number of entries. */
        public int size() {
            return totals.length;
        }

        /** This log with entries in the future moved to now, or the same object if there are none. */
        private State notAfter(double nowMicros) {
            int size = size();
            if (size == 0 || timesMicros[size - 1] <= nowMicros) {
                return this;
            }
            int last = firstSince(nowMicros);
            double[] times = Arrays.copyOf(timesMicros, last + 1);
            double[] sums = Arrays.copyOf(totals, last + 1);
            times[last] = nowMicros;
            sums[last] = totals[size - 1];
            return of(times, sums, uses);
        }

        /** The index of the first entry at a moment or later, or {@link #size()} if there is none. */
        int firstSince(double micros) {
            return search(timesMicros, 0, size(), micros);
        }

        /** The time of the newest entry; the log must not be empty. */
        private double newestMicros() {
            return timesMicros[size() - 1];
        }

        double before(int entry) {
            return entry == 0 ? 0.0 : totals[entry - 1];
        }

        /** The first entry, from one on, up to which so many permits are in the log. */
        int entryOf(double total, int from) {
            return search(totals, from, size() - 1, total);
        }

        /** The first index of whole numbers in ascending order that reach a value, or the end if none does. */
        private static int search(double[] ascending, int from, int end, double value) {
            int found = Arrays.binarySearch(ascending, from, end, value);
            return found >= 0 ? found : -found - 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof State log
                    && Arrays.equals(timesMicros, log.timesMicros)
                    && Arrays.equals(totals, log.totals)
                    && uses.equals(log.uses);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * Arrays.hashCode(timesMicros) + Arrays.hashCode(totals)) + uses.hashCode();
        }

        @Override
        public String toString() {
            return "State[timesMicros=" + Arrays.toString(timesMicros) + ", totals=" + Arrays.toString(totals)
                    + ", uses=" + uses + "]";
        }
    }
}
