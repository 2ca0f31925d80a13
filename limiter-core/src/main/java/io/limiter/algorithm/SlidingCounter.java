package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * About {@code limit} permits in any interval of length {@code period}, from two numbers: a sliding window counter.
 *
 * <p>Time is cut into windows of one period, aligned to the clock's epoch. Of the previous window's permits, the share
 * counts that still lies within one period if they were taken evenly:
 *
 * <pre>
 *   estimate = previous * (1 - elapsed / period) + current       granted if estimate + permits &lt;= limit
 * </pre>
 *
 * <p>Memory and time are constant whatever the limit, and the price is that permits are not taken evenly. Measured at 100
 * permits a minute, by {@code SlidingCounterErrorTest}: at most 102 permits in any minute if five times as many are asked
 * for at random, 118 at random and just at the limit, 180 in bursts of 50, and 198 by a caller who knows the windows: full
 * at the end of one, and on as fast as it fades. So the bound is twice the limit, as for a {@link FixedWindow}, but it
 * takes intent to get there. Where the limit must hold, take a {@link SlidingLog}.
 *
 * <p>A rejected request adds nothing. Permits that are refunded are taken from the current window first, those that are
 * cancelled from the window in which they were granted. What is charged counts even above the limit, up to 2<sup>52</sup>
 * permits. If the clock steps back into another window, everything that
 * still counts is taken as if it had been taken now, so nothing is freed and no caller is rejected for longer than two periods.
 *
 * <p>Limiters of two periods can share permits, as they do while a new version is rolled out: each decides by windows of
 * its own period, in which the permits of all count. When a period comes that is new to a state, its windows start with what
 * is known: each permit counts as taken when it can have been taken last. Of three or more periods in use at the same
 * time, two have windows of their own, the longest one and another; any further limiter decides by the next longer windows.
 *
 * @param limit the most permits, from 1 to 2,147,483,647
 * @param period the length of a window, from 1 ms to 1,000 days
 */
public record SlidingCounter(int limit, Duration period) implements Limit<SlidingCounter.State> {

    private static final long EXPIRE_MARGIN_MILLIS = 1000;

    public SlidingCounter {
        Check.range("limit", limit, 1, Integer.MAX_VALUE);
        Check.duration("period", period, Duration.ofMillis(1));
    }

    /** At most about so many permits in any interval of this length. */
    public static SlidingCounter of(int limit, Duration period) {
        return new SlidingCounter(limit, period);
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
    public SlidingCounter scaled(double share) {
        return share == 1.0 ? this : new SlidingCounter(Check.share(limit, share), period);
    }

    @Override
    public String keySuffix() {
        return ":counter";
    }

    /** Nothing is reserved ahead, so the timeout makes no difference. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        Check.noId(request, this);
        double now = nowMicros;
        State pair = pairAt(state, now);
        double elapsed = now - pair.startMicros();
        int permits = request.permits();
        boolean fits = pair.carried(elapsed) + pair.current() + permits <= limit;
        State after = switch (request.action()) {
            case TAKE -> fits ? pair.plus(permits) : pair;
            case PEEK, RENEW -> pair;
            case REFUND -> request.id() == 0 ? pair.minus(permits) : pair.without(permits, request.id());
            case CHARGE -> pair.plus(permits);
        };
        boolean asks = request.action() == Request.Action.TAKE || request.peek();
        boolean granted = fits || !asks;
        long retry = granted ? 0 : permits > limit ? Decision.NEVER_MICROS : (long) retryMicros(pair, elapsed, permits);
        double left = Math.max(0.0, limit - after.carried(elapsed) - after.current());
        boolean mustBeSaved = state != null && state.mustBeSaved(pair.periodMicros(), now);
        boolean save = !after.equals(pair) || (mustBeSaved && !request.peek());
        boolean taken =
                granted && (request.action() == Request.Action.TAKE || request.action() == Request.Action.CHARGE);
        return new Step<>(
                save ? after : state,
                new Decision(
                        granted,
                        limit,
                        (long) left,
                        retry,
                        retry,
                        (long) resetMicros(after, elapsed),
                        Decision.Source.BACKEND,
                        taken ? nowMicros : 0));
    }

    private State pairAt(@Nullable State state, double now) {
        if (state == null) {
            return new State(0.0, 0.0, State.startOf(now, periodMicros()), periodMicros());
        }
        return state.at(now).under(periodMicros(), now);
    }

    /** In this window as the previous one fades, or in the next, in which this one does. */
    private double retryMicros(State pair, double elapsed, int permits) {
        double room = limit - permits - pair.current();
        if (room >= 0.0) {
            return fadesAt(pair, room) - elapsed;
        }
        double period = pair.periodMicros();
        State next = new State(pair.current(), 0.0, pair.startMicros() + period, period);
        return period - elapsed + fadesAt(next, limit - permits);
    }

    /** The first microsecond of a window in which no more than so much of the previous one counts. */
    private double fadesAt(State pair, double room) {
        if (pair.previous() <= room) {
            return 0.0;
        }
        double period = pair.periodMicros();
        double at = Math.ceil(period - room * period / pair.previous());
        // The division may have rounded; what counts is what a caller meets who comes then.
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
        return Math.max(0, (long) Math.ceil(state.leavesMicros(nowMicros) / 1000.0)) + EXPIRE_MARGIN_MILLIS;
    }

    /**
     * The state of a {@link SlidingCounter}: what was taken in a window of the clock, and in the one before it.
     *
     * @param previous permits taken in the window before, from 0 to 2<sup>52</sup>
     * @param current permits taken in the window, from 0 to 2<sup>52</sup>
     * @param startMicros when the window started, in whole microseconds since the epoch
     * @param periodMicros how long it is, in whole microseconds
     * @param other the same permits in windows of another length, while limiters of two periods share them; otherwise
     *     {@code null}
     */
    public record State(
            double previous,
            double current,
            double startMicros,
            double periodMicros,

            @Nullable @JsonInclude(JsonInclude.Include.NON_NULL)
            OtherWindows other) {

        /**
         * The windows of another period.
         *
         * @param pair what was taken in them; has no other ones itself
         * @param usedMicros when a limiter of that period last used them, in whole microseconds since the epoch
         */
        public record OtherWindows(
                @JsonProperty(required = true) State pair,
                @JsonProperty(required = true) double usedMicros) {

            public OtherWindows {
                if (pair == null || pair.other != null || !(usedMicros >= 0 && usedMicros < LATEST_MICROS)) {
                    throw new IllegalArgumentException(
                            "not a counter's other windows: pair " + pair + ", usedMicros " + usedMicros);
                }
            }
        }

        /** Counts stop here; beyond 2<sup>53</sup> they would not notice one more. */
        static final double MOST_PERMITS = 0x1p52;

        private static final double LATEST_MICROS = 0x1p53;

        @JsonCreator
        public State(
                @JsonProperty(value = "previous", required = true) double previous,
                @JsonProperty(value = "current", required = true) double current,
                @JsonProperty(value = "startMicros", required = true) double startMicros,
                @JsonProperty(value = "periodMicros", required = true) double periodMicros,
                @JsonProperty("other") @Nullable OtherWindows other) {
            // Written so that NaN fails.
            if (!(previous >= 0
                    && previous <= MOST_PERMITS
                    && current >= 0
                    && current <= MOST_PERMITS
                    && startMicros >= 0
                    && startMicros < LATEST_MICROS
                    && periodMicros >= 1
                    && periodMicros < LATEST_MICROS)) {
                throw new IllegalArgumentException("not a counter's state: previous " + previous + ", current "
                        + current + ", startMicros " + startMicros + ", periodMicros " + periodMicros);
            }
            this.previous = previous;
            this.current = current;
            this.startMicros = startMicros;
            this.periodMicros = periodMicros;
            this.other = other;
        }

        /** In windows of one length. */
        public State(double previous, double current, double startMicros, double periodMicros) {
            this(previous, current, startMicros, periodMicros, null);
        }

        /** The start of the window that a moment lies in, where windows are so long. */
        static double startOf(double nowMicros, double periodMicros) {
            return Math.floor(nowMicros / periodMicros) * periodMicros;
        }

        /**
         * Whether even a rejection that was decided by windows of this length has to be saved: otherwise what was dated anew would be
         * so at each call, and never leave, and windows that are in use would go as unused.
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

        /** Whether it was left by a later clock. */
        private boolean isAhead(double nowMicros) {
            return startOf(nowMicros, periodMicros) < startMicros || (other != null && other.pair.isAhead(nowMicros));
        }

        /** What this is in the windows of a later moment. If the clock has stepped back, all of it counts as taken now. */
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
         * The pair that a limiter of a period decides by, and behind it the one that others decide by.
         *
         * <p>Two periods have windows each, in which all permits count, whoever took them. A third one decides by the windows
         * of the next longer period, in which no permit leaves sooner than in its own. If it is the longest of all, its windows
         * replace the longer ones, whose limiters then decide by these. So, whatever comes in turn, nothing is dated anew for ever.
         *
         * @param nowMicros in the windows of which this is
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

        /** Whether no limiter of their period comes any more: none did for as long as anything counts. */
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

        /** In windows of another length. Each permit counts as taken when it can have been taken last, so nothing is freed. */
        private State rearranged(double newPeriodMicros, double nowMicros) {
            double start = startOf(nowMicros, newPeriodMicros);
            if (startMicros > start) {
                return new State(0.0, Math.min(previous + current, MOST_PERMITS), start, newPeriodMicros);
            }
            return new State(startMicros > start - newPeriodMicros ? previous : 0.0, current, start, newPeriodMicros);
        }

        /** What counts of the previous window at a moment of the current one: the share that lies within one period. */
        double carried(double elapsedMicros) {
            return Math.ceil(previous * (periodMicros - elapsedMicros) / periodMicros);
        }

        State plus(double permits) {
            OtherWindows others = other == null ? null : new OtherWindows(other.pair.plus(permits), other.usedMicros);
            return new State(previous, Math.min(current + permits, MOST_PERMITS), startMicros, periodMicros, others);
        }

        /** Takes permits out again, first those of the current window. */
        State minus(double permits) {
            OtherWindows others = other == null ? null : new OtherWindows(other.pair.minus(permits), other.usedMicros);
            double newest = Math.min(current, permits);
            return new State(
                    Math.max(0.0, previous - (permits - newest)), current - newest, startMicros, periodMicros, others);
        }

        /** Takes permits out of the window in which they were granted, as far as it has them. */
        State without(double permits, double grantedMicros) {
            OtherWindows others = other == null
                    ? null
                    : new OtherWindows(other.pair.without(permits, grantedMicros), other.usedMicros);
            double since = grantedMicros - startMicros;
            double fromCurrent = since >= 0.0 && since < periodMicros ? Math.min(current, permits) : 0.0;
            double fromPrevious = since < 0.0 && since >= -periodMicros ? Math.min(previous, permits) : 0.0;
            return new State(previous - fromPrevious, current - fromCurrent, startMicros, periodMicros, others);
        }

        /** Microseconds from now until nothing of it counts any more. */
        double leavesMicros(double nowMicros) {
            double leaves = startMicros + 2.0 * periodMicros - nowMicros;
            return other == null ? leaves : Math.max(leaves, other.pair.leavesMicros(nowMicros));
        }
    }
}
