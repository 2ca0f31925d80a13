package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Never more than {@code limit} permits in <em>any</em> interval of length {@code period}, wherever it starts: a sliding
 * window log.
 *
 * <p>It remembers when each permit was granted, and a permit comes back one period later. So it is exact, where a
 * {@link FixedWindow} lets twice the limit through across a boundary and a {@link SlidingCounter} estimates; and it needs
 * memory for each grant: about 12 bytes for each microsecond in which something was granted within the last period, and
 * in Redis up to four times that, because what has left is cleared away only when it is about half of the log. All of it
 * is read for each decision. {@code docs/limits.md} has the figures.
 *
 * <p>A rejected request adds nothing. A limit or period that changes applies at once to what was granted; what a shorter
 * period has let go does not come back with a longer one. Permits that are refunded are the newest, those that are
 * cancelled the ones that were granted, as far as they still count. What is charged
 * counts even above the limit, up to 2,147,483,647 permits in one period; the oldest of more than twice the limit are
 * taken together, and leave with the last of them. If the clock steps back, grants that seem to
 * lie in the future count as made now, so nothing is freed and nobody is kept out for longer than one period.
 *
 * @param limit the most permits in any interval of one period, from 1 to 100,000
 * @param period the length of the interval, from 1 ms to 1,000 days
 */
public record SlidingLog(int limit, Duration period) implements Limit<SlidingLog.State> {

    /** The largest limit. */
    public static final int MAX_LIMIT = 100_000;

    /** Above this limit a log is dear, and building a limiter says so in the log. */
    public static final int MODERATE_LIMIT = 1000;

    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    public SlidingLog {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit of a sliding log must be between 1 and " + MAX_LIMIT + ", was "
                    + limit + (limit < 1 ? "" : ": use a SlidingCounter, which needs no memory for each grant"));
        }
        Check.duration("period", period, Duration.ofMillis(1));
    }

    /** At most so many permits in any interval of this length. */
    public static SlidingLog of(int limit, Duration period) {
        return new SlidingLog(limit, period);
    }

    public long periodMicros() {
        return Check.micros(period);
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
        return share == 1.0 ? this : new SlidingLog(Check.share(limit, share), period);
    }

    @Override
    public String keySuffix() {
        return ":log";
    }

    /** The script replies no more of a log than its own requests need. */
    @Override
    public boolean coversLargerRequests() {
        return false;
    }

    /** Nothing is reserved ahead, so the timeout makes no difference. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        Check.noId(request, this);
        double now = nowMicros;
        State found = state == null ? State.EMPTY : state;
        State log = found.notAfter(now);
        int first = log.firstAfter(now - periodMicros());
        double live = log.permitsFrom(first);
        boolean fits = live + request.permits() <= limit;
        boolean cancels = request.action() == Request.Action.REFUND && request.id() != 0;
        double givenBack = cancels
                ? Math.min(request.permits(), log.permitsAt(request.id(), first, now, limit))
                : request.permits();
        double after = switch (request.action()) {
            case TAKE -> fits ? live + request.permits() : live;
            case PEEK, RENEW -> live;
            case REFUND -> Math.max(0.0, live - givenBack);
            case CHARGE -> Math.min(live + request.permits(), State.MOST_PERMITS);
        };
        boolean asks = request.action() == Request.Action.TAKE || request.peek();
        boolean granted = fits || !asks;
        long retry = granted ? 0 : retryMicros(log, first, live, now, request.permits());
        // What lies in the future is moved once and for all: moved only in memory, it would go ahead with the clock.
        boolean save = after != live || (log != found && !request.peek());
        double kept = Math.min(live, after);
        State changed = !save
                ? log
                : cancels && after < live
                        ? log.without(givenBack, request.id(), first, now, limit)
                        : log.replaced(first, kept, after - kept, now, limit);
        boolean taken =
                granted && (request.action() == Request.Action.TAKE || request.action() == Request.Action.CHARGE);
        double reset = after == 0.0 ? 0.0 : leavesIn(changed.newestMicros(), now);
        return new Step<>(
                save ? changed : state,
                new Decision(
                        granted,
                        limit,
                        (long) Math.max(0.0, limit - after),
                        retry,
                        retry,
                        (long) reset,
                        Decision.Source.BACKEND,
                        taken ? nowMicros : 0));
    }

    private long retryMicros(State log, int first, double live, double now, int permits) {
        return permits > limit
                ? Decision.NEVER_MICROS
                : (long) leavesIn(log.timeOf(live + permits - limit, first), now);
    }

    private double leavesIn(double grantedMicros, double now) {
        return grantedMicros + periodMicros() - now;
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        double leaves = state.size() == 0 ? 0.0 : leavesIn(state.newestMicros(), nowMicros);
        return Math.max(0, (long) Math.ceil(leaves / 1000.0)) + EXPIRE_MARGIN_MILLIS;
    }

    /**
     * The state of a {@link SlidingLog}: when permits were granted, oldest first. What was granted within one microsecond is
     * one entry. An entry holds the number of permits up to and including it, so "how many since" and "when have so many
     * left" are binary searches.
     *
     * <p>Immutable, and a value: equal if it says the same.
     */
    public static final class State {

        /** Counts stop here, far above every limit; so the packed form can let them go round in 32 bits. */
        static final double MOST_PERMITS = Integer.MAX_VALUE;

        static final State EMPTY = new State(new double[0], new double[0]);

        private static final double LATEST_MICROS = 0x1p53;

        private final double[] timesMicros;
        private final double[] totals;

        /**
         * @param timesMicros when, in whole microseconds since the epoch, ascending
         * @param totals how many permits up to and including each time, ascending; from 1 to 2,147,483,647
         * @throws IllegalArgumentException if they cannot be a log
         */
        @JsonCreator
        public State(
                @JsonProperty(value = "timesMicros", required = true) double[] timesMicros,
                @JsonProperty(value = "totals", required = true) double[] totals) {
            if (timesMicros.length != totals.length) {
                throw new IllegalArgumentException(
                        "not a log's state: " + timesMicros.length + " times and " + totals.length + " totals");
            }
            for (int i = 0; i < totals.length; i++) {
                double earlier = i == 0 ? -1.0 : timesMicros[i - 1];
                double fewer = i == 0 ? 0.0 : totals[i - 1];
                // Written so that NaN fails.
                if (!(timesMicros[i] > earlier
                        && timesMicros[i] < LATEST_MICROS
                        && timesMicros[i] % 1.0 == 0.0
                        && totals[i] > fewer
                        && totals[i] <= MOST_PERMITS
                        && totals[i] % 1.0 == 0.0)) {
                    throw new IllegalArgumentException("not a log's state: " + totals[i] + " permits until "
                            + timesMicros[i] + ", after " + fewer + " until " + earlier);
                }
            }
            this.timesMicros = timesMicros.clone();
            this.totals = totals.clone();
        }

        /** Takes the arrays as they are, unchecked. */
        private static State of(double[] timesMicros, double[] totals) {
            return new State(timesMicros, totals, true);
        }

        private State(double[] timesMicros, double[] totals, @SuppressWarnings("unused") boolean trusted) {
            this.timesMicros = timesMicros;
            this.totals = totals;
        }

        @JsonProperty
        public double[] timesMicros() {
            return timesMicros.clone();
        }

        @JsonProperty
        public double[] totals() {
            return totals.clone();
        }

        /** How many entries there are. */
        public int size() {
            return totals.length;
        }

        /** The same log with what seems to lie in the future moved to now; this very log if there is nothing. */
        State notAfter(double nowMicros) {
            int size = size();
            if (size == 0 || timesMicros[size - 1] <= nowMicros) {
                return this;
            }
            int last = firstAfter(nowMicros - 1.0);
            double[] times = Arrays.copyOf(timesMicros, last + 1);
            double[] sums = Arrays.copyOf(totals, last + 1);
            times[last] = nowMicros;
            sums[last] = totals[size - 1];
            return of(times, sums);
        }

        /** The first entry after a moment; {@link #size()} if there is none. */
        int firstAfter(double micros) {
            int low = 0;
            int high = size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (timesMicros[middle] > micros) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }

        /** How many permits an entry and all later ones hold. */
        double permitsFrom(int first) {
            return first == size() ? 0.0 : totals[size() - 1] - before(first);
        }

        /** When the newest permit was granted; there must be one. */
        double newestMicros() {
            return timesMicros[size() - 1];
        }

        /** When the last of so many permits was granted, counted from an entry; at least 1, and as many as there are. */
        double timeOf(double permits, int first) {
            return timesMicros[entryOf(permits, first)];
        }

        /**
         * The log from an entry on, with only the oldest of its permits, and others granted now behind them.
         *
         * <p>Only what is charged goes beyond a limit, and then the oldest permits do not decide anything before they leave.
         * So those ahead of the newest become one entry, and no log has more entries than twice its limit, and two.
         *
         * @param kept how many stay, from 0 to all there are
         * @param added how many come, at least 0
         */
        State replaced(int first, double kept, double added, double nowMicros, int limit) {
            int from = oldest(first, nowMicros, limit);
            int end = kept == 0.0 ? from : Math.max(from, entryOf(kept, first)) + 1;
            boolean joins = end > from && timesMicros[end - 1] == nowMicros;
            int size = end - from + (added > 0.0 && !joins ? 1 : 0);
            double[] times = Arrays.copyOfRange(timesMicros, from, from + size);
            double[] sums = Arrays.copyOfRange(totals, from, from + size);
            double before = before(first);
            for (int i = 0; i < end - from; i++) {
                sums[i] = Math.min(kept, sums[i] - before);
            }
            if (added > 0.0) {
                times[size - 1] = nowMicros;
                sums[size - 1] = kept + added;
            }
            return of(times, sums);
        }

        /** How many permits of a moment there are, counted from an entry, once the oldest are one; see {@link #replaced}. */
        double permitsAt(double micros, int first, double nowMicros, int limit) {
            int from = oldest(first, nowMicros, limit);
            int entry = firstAfter(micros - 1.0);
            return entry < from || entry == size() || timesMicros[entry] != micros
                    ? 0.0
                    : totals[entry] - before(entry == from ? first : entry);
        }

        /**
         * The log from an entry on, without some permits of one moment.
         *
         * @param permits at least 1, and at most {@link #permitsAt} that moment
         */
        State without(double permits, double micros, int first, double nowMicros, int limit) {
            int from = oldest(first, nowMicros, limit);
            int entry = firstAfter(micros - 1.0);
            boolean empties = permits == totals[entry] - before(entry == from ? first : entry);
            int size = size() - from - (empties ? 1 : 0);
            double[] times = new double[size];
            double[] sums = new double[size];
            double before = before(first);
            for (int i = 0; i < size; i++) {
                int old = from + i + (empties && from + i >= entry ? 1 : 0);
                times[i] = timesMicros[old];
                sums[i] = totals[old] - before - (old >= entry ? permits : 0.0);
            }
            return of(times, sums);
        }

        /** From which entry on a log is kept: the oldest of too many permits become one. */
        private int oldest(int first, double nowMicros, int limit) {
            double beyond = before(firstAfter(nowMicros - 1.0)) - before(first) - 2.0 * limit;
            return beyond > 0.0 ? entryOf(beyond, first) : first;
        }

        private double before(int first) {
            return first == 0 ? 0.0 : totals[first - 1];
        }

        private int entryOf(double permits, int first) {
            double total = before(first) + permits;
            int low = first;
            int high = size() - 1;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (totals[middle] >= total) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof State log
                    && Arrays.equals(timesMicros, log.timesMicros)
                    && Arrays.equals(totals, log.totals);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(timesMicros) + Arrays.hashCode(totals);
        }

        @Override
        public String toString() {
            return "State[timesMicros=" + Arrays.toString(timesMicros) + ", totals=" + Arrays.toString(totals) + "]";
        }
    }
}
