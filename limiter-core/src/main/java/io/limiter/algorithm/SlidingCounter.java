package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window counter: about {@code limit} permits in any interval of length {@code period}, from two counts.
 *
 * <p>Windows of one period are aligned to the epoch. The permits of the previous window count by the share of it that
 * lies within the last period, as if they had been granted evenly:
 *
 * <pre>
 *   estimate = previous * (1 - elapsed / period) + current       granted if estimate + permits &lt;= limit
 * </pre>
 *
 * <p>Memory and time are constant whatever the limit. The price is an error, because permits are not granted evenly: of
 * 100 permits a minute, random requests get at most 118 in any minute, bursts of 50 get 180, and a caller who exploits
 * the windows gets 198 ({@code SlidingCounterErrorTest}). If the limit must be exact, use a {@link SlidingLog}.
 *
 * <p>A rejected request adds nothing. A refund subtracts from the current window first, a cancellation from the window
 * of the grant. A charge counts even above the limit, up to 2<sup>53</sup> - 1 permits. If the clock steps back into
 * another window, all counted permits count as granted now, so no permits become free and no caller is rejected for
 * longer than two periods.
 *
 * <p>Limiters with two periods can share a state while a new version is rolled out: each has windows of its own period,
 * in which all permits count. {@code State.under} has the rules.
 */
public final class SlidingCounter implements Limit, LimitStep<SlidingCounter.State> {

    private final long limit;
    private final Duration period;

    private SlidingCounter(long limit, Duration period) {
        Ranges.limit(limit);
        Ranges.duration("period", period, Duration.ofMillis(1));

        this.limit = limit;
        this.period = period;
    }

    /** A limit on the permits in any interval of this length, approximately. */
    public static SlidingCounter of(long limit, Duration period) {
        return new SlidingCounter(limit, period);
    }

    public long periodMicros() {
        return Ranges.micros(period);
    }

    /** The most permits, from 1 to 2<sup>53</sup> - 1. */
    public long limit() {
        return limit;
    }

    /** The length of a window, from 1 ms to 1,000 days. */
    public Duration period() {
        return period;
    }

    @Override
    public SlidingCounter asStep() {
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
    public SlidingCounter scaled(double share) {
        return share == 1.0 ? this : new SlidingCounter(Ranges.share(limit, share), period);
    }

    @Override
    public String keySuffix() {
        return ":counter";
    }

    @Override
    public boolean takesFewer() {
        return true;
    }

    @Override
    public boolean leavesPermits() {
        return true;
    }

    /** Counters have no reservations, so the timeout is ignored. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        request.checkNoId(this);
        double now = nowMicros;
        State pair = state == null
                ? new State(0.0, 0.0, State.startOf(now, periodMicros()), periodMicros())
                : state.at(now).under(periodMicros(), now);
        double elapsed = now - pair.startMicros();
        double used = pair.carried(elapsed) + pair.current();
        long permits = request.takenOf(limit - used - request.leave());
        long needed = request.neededFor(permits);
        boolean granted = !request.mayBeRejected() || used + needed <= limit;
        boolean taken = granted && request.takes();
        State after = taken ? pair.plus(permits) : pair;
        if (request.action() == Request.Action.REFUND) {
            after = request.ticketMicros() == 0 ? pair.minus(permits) : pair.without(permits, request.ticketMicros());
        }
        long retry = granted ? 0 : needed > limit ? Verdict.NEVER_MICROS : (long) retryMicros(pair, elapsed, needed);
        double left = limit - after.carried(elapsed) - after.current();
        boolean mustBeSaved = state != null && state.mustBeSaved(pair.periodMicros(), now);
        boolean save = !after.equals(pair) || (mustBeSaved && !request.isPeek());
        long reset = (long) resetMicros(after, elapsed);
        return Step.of(
                save ? after : state,
                Verdicts.of(request, permits, granted, limit, left, retry, reset, taken ? nowMicros : 0));
    }

    /** The time until enough of the previous window has faded, in this window or in the next. */
    private double retryMicros(State pair, double elapsed, long permits) {
        double room = limit - permits - pair.current();
        if (room >= 0.0) {
            return fadesAt(pair, room) - elapsed;
        }
        double period = pair.periodMicros();
        State next = new State(pair.current(), 0.0, pair.startMicros() + period, period);
        return period - elapsed + fadesAt(next, limit - permits);
    }

    /** The first microsecond of a window in which at most {@code room} of the previous one counts. */
    private double fadesAt(State pair, double room) {
        if (pair.previous() <= room) {
            return 0.0;
        }
        double period = pair.periodMicros();
        double at = Math.ceil(period - room * period / pair.previous());
        // The division may have rounded, so the exact microsecond is searched by the estimate itself.
        while (at > 0.0 && pair.carried(at - 1.0) <= room) {
            at--;
        }
        while (pair.carried(at) > room) {
            at++;
        }
        return at;
    }

    private double resetMicros(State pair, double elapsed) {
        double windows = pair.current() > 0.0 ? 2.0 : pair.previous() > 0.0 ? 1.0 : 0.0;
        return windows == 0.0 ? 0.0 : windows * pair.periodMicros() - elapsed;
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        return Ranges.lifetimeMillis(state.leavesMicros(nowMicros));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof SlidingCounter that && limit == that.limit && period.equals(that.period);
    }

    @Override
    public int hashCode() {
        int hash = Long.hashCode(limit);
        hash = 31 * hash + period.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "SlidingCounter[limit=" + limit + ", period=" + period + "]";
    }

    /**
     * The state of a {@link SlidingCounter}: the counts of a window and of the previous one.
     *
     * @param previous permits granted in the previous window, a whole number from 0 to 2<sup>53</sup> - 1
     * @param current permits granted in the window, a whole number from 0 to 2<sup>53</sup> - 1
     * @param startMicros when the window started, in whole microseconds since the epoch
     * @param periodMicros the length of the window, in whole microseconds
     * @param other the same permits in windows of another period, while limiters with two periods share the state;
     *     otherwise {@code null}
     */
    public record State(
            @JsonProperty(required = true) double previous,
            @JsonProperty(required = true) double current,
            @JsonProperty(required = true) double startMicros,
            @JsonProperty(required = true) double periodMicros,

            @Nullable @JsonInclude(JsonInclude.Include.NON_NULL)
            OtherWindows other) {

        /**
         * The windows of another period.
         *
         * @param pair their counts; without other windows itself
         * @param usedMicros when a limiter with that period last used them, in whole microseconds since the epoch
         */
        public record OtherWindows(
                @JsonProperty(required = true) State pair,
                @JsonProperty(required = true) double usedMicros) {

            public OtherWindows {
                if (pair == null || pair.other != null || !Ranges.isTime(usedMicros)) {
                    throw new IllegalArgumentException(
                            "not a counter's other windows: pair " + pair + ", usedMicros " + usedMicros);
                }
            }
        }

        /** The largest count; from 2<sup>53</sup> on, a double cannot count single permits. */
        static final double MOST_PERMITS = Ranges.MAX_PERMITS;

        public State {
            if (!(Ranges.isCount(previous, MOST_PERMITS)
                    && Ranges.isCount(current, MOST_PERMITS)
                    && Ranges.isTime(startMicros)
                    && Ranges.isTime(periodMicros)
                    && periodMicros >= 1)) {
                throw new IllegalArgumentException("not a counter's state: previous " + previous + ", current "
                        + current + ", startMicros " + startMicros + ", periodMicros " + periodMicros);
            }
        }

        /** A state with windows of one period. */
        public State(double previous, double current, double startMicros, double periodMicros) {
            this(previous, current, startMicros, periodMicros, null);
        }

        /** The start of the window of this length around a moment. */
        static double startOf(double nowMicros, double periodMicros) {
            return Math.floor(nowMicros / periodMicros) * periodMicros;
        }

        /**
         * Whether a rejection that was decided by windows of this period must be saved. Otherwise permits that were
         * moved in time would move again with each call and never leave, and windows in use would be dropped as unused.
         */
        boolean mustBeSaved(double decidedByMicros, double nowMicros) {
            if (isAhead(nowMicros)) {
                return true;
            }
            if (periodMicros == decidedByMicros) {
                return false;
            }
            return other == null
                    || other.pair.periodMicros != decidedByMicros
                    || nowMicros - other.usedMicros >= longestMicros(other);
        }

        /** Whether it was written by a later clock. */
        private boolean isAhead(double nowMicros) {
            return startOf(nowMicros, periodMicros) < startMicros || (other != null && other.pair.isAhead(nowMicros));
        }

        /** This state at a later moment. If the clock has stepped back, all permits count as granted now. */
        State at(double nowMicros) {
            OtherWindows othersThen =
                    other == null ? null : new OtherWindows(other.pair.at(nowMicros), other.usedMicros);
            double start = startOf(nowMicros, periodMicros);
            if (start == startMicros) {
                return with(othersThen);
            }
            if (start < startMicros) {
                double all = Math.min(previous + current, MOST_PERMITS);
                return new State(0.0, all, start, periodMicros, othersThen);
            }
            boolean next = start == startMicros + periodMicros;
            return new State(next ? current : 0.0, 0.0, start, periodMicros, othersThen);
        }

        /**
         * The windows by which a limiter with this period decides, with those of the other period as {@code other}.
         *
         * <p>Two periods have windows of their own. A third one uses the windows of the next longer period, in which
         * no permit leaves earlier than in its own. If it is the longest, its windows replace the longer of the two,
         * whose limiters then use these. So permits are not moved in time for ever, in whatever order the limiters call.
         *
         * @param nowMicros the time, for which {@link #at} was called
         */
        State under(double newPeriodMicros, double nowMicros) {
            if (periodMicros == newPeriodMicros) {
                return other != null && isUnused(other, nowMicros) ? with(null) : this;
            }
            if (other == null) {
                return rearranged(newPeriodMicros, nowMicros).with(new OtherWindows(this, nowMicros));
            }
            if (other.pair.periodMicros == newPeriodMicros) {
                return swapped(nowMicros);
            }
            if (isUnused(other, nowMicros)) {
                return with(null).under(newPeriodMicros, nowMicros);
            }
            boolean longer = periodMicros >= other.pair.periodMicros;
            double shortest = longer ? other.pair.periodMicros : periodMicros;
            if (longestMicros(other) < newPeriodMicros) {
                return longer
                        ? rearranged(newPeriodMicros, nowMicros).with(other)
                        : other.pair
                                .rearranged(newPeriodMicros, nowMicros)
                                .with(new OtherWindows(with(null), nowMicros));
            }
            return longer == (shortest < newPeriodMicros) ? this : swapped(nowMicros);
        }

        /** Whether no limiter with their period called for as long as permits count. */
        private boolean isUnused(OtherWindows windows, double nowMicros) {
            return nowMicros - windows.usedMicros >= 2.0 * longestMicros(windows);
        }

        private double longestMicros(OtherWindows windows) {
            return Math.max(periodMicros, windows.pair.periodMicros);
        }

        private State swapped(double nowMicros) {
            return other == null ? this : other.pair.with(new OtherWindows(with(null), nowMicros));
        }

        private State with(@Nullable OtherWindows newOther) {
            return newOther == other ? this : new State(previous, current, startMicros, periodMicros, newOther);
        }

        /**
         * This state in windows of another period. Each permit counts at the latest time of its grant, so none becomes
         * free.
         */
        private State rearranged(double newPeriodMicros, double nowMicros) {
            double start = startOf(nowMicros, newPeriodMicros);
            if (startMicros > start) {
                return new State(0.0, Math.min(previous + current, MOST_PERMITS), start, newPeriodMicros);
            }
            return new State(startMicros > start - newPeriodMicros ? previous : 0.0, current, start, newPeriodMicros);
        }

        /** The permits of the previous window that count at this moment of the current one. */
        double carried(double elapsedMicros) {
            return Math.ceil(previous * (periodMicros - elapsedMicros) / periodMicros);
        }

        State plus(double permits) {
            OtherWindows others = other == null ? null : new OtherWindows(other.pair.plus(permits), other.usedMicros);
            return new State(previous, Math.min(current + permits, MOST_PERMITS), startMicros, periodMicros, others);
        }

        /** Subtracts permits, first from the current window. */
        State minus(double permits) {
            OtherWindows others = other == null ? null : new OtherWindows(other.pair.minus(permits), other.usedMicros);
            double newest = Math.min(current, permits);
            return new State(
                    Math.max(0.0, previous - (permits - newest)), current - newest, startMicros, periodMicros, others);
        }

        /** Subtracts permits from the window in which they were granted, at most its count. */
        State without(double permits, double grantedMicros) {
            OtherWindows others = other == null
                    ? null
                    : new OtherWindows(other.pair.without(permits, grantedMicros), other.usedMicros);
            double since = grantedMicros - startMicros;
            double fromCurrent = since >= 0.0 && since < periodMicros ? Math.min(current, permits) : 0.0;
            double fromPrevious = since < 0.0 && since >= -periodMicros ? Math.min(previous, permits) : 0.0;
            return new State(previous - fromPrevious, current - fromCurrent, startMicros, periodMicros, others);
        }

        /** Microseconds until no permit counts any more. */
        double leavesMicros(double nowMicros) {
            double leaves = startMicros + 2.0 * periodMicros - nowMicros;
            return other == null ? leaves : Math.max(leaves, other.pair.leavesMicros(nowMicros));
        }
    }
}
