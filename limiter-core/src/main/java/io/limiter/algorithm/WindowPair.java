package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The state of a {@link SlidingCounter}: what was taken in a window of the clock, and in the one before it.
 *
 * @param previous permits taken in the window before, from 0 to 2<sup>52</sup>
 * @param current permits taken in the window, from 0 to 2<sup>52</sup>
 * @param startMicros when the window started, in whole microseconds since the epoch
 * @param periodMicros how long it is, in whole microseconds
 */
public record WindowPair(
        @JsonProperty(required = true) double previous,
        @JsonProperty(required = true) double current,
        @JsonProperty(required = true) double startMicros,
        @JsonProperty(required = true) double periodMicros) {

    /** Counts stop here; beyond 2<sup>53</sup> they would not notice one more. */
    static final double MOST_PERMITS = 0x1p52;

    private static final double LATEST_MICROS = 0x1p53;

    public WindowPair {
        // Written so that NaN fails.
        if (!(previous >= 0
                && previous <= MOST_PERMITS
                && current >= 0
                && current <= MOST_PERMITS
                && startMicros >= 0
                && startMicros < LATEST_MICROS
                && periodMicros >= 1
                && periodMicros < LATEST_MICROS)) {
            throw new IllegalArgumentException("not a counter's state: previous " + previous + ", current " + current
                    + ", startMicros " + startMicros + ", periodMicros " + periodMicros);
        }
    }

    /** The start of the window that a moment lies in, where windows are so long. */
    static double startOf(double nowMicros, double periodMicros) {
        return Math.floor(nowMicros / periodMicros) * periodMicros;
    }

    /** Whether it was left by a later clock. */
    boolean isAhead(double nowMicros) {
        return startOf(nowMicros, periodMicros) < startMicros;
    }

    /** What this is in the window of a later moment. If the clock has stepped back, all of it counts as taken now. */
    WindowPair at(double nowMicros) {
        double start = startOf(nowMicros, periodMicros);
        if (start == startMicros) {
            return this;
        }
        if (start < startMicros) {
            return asTakenNow(nowMicros, periodMicros);
        }
        boolean next = start == startMicros + periodMicros;
        return new WindowPair(next ? current : 0.0, 0.0, start, periodMicros);
    }

    /** All of it in the current one of windows that are so long. */
    WindowPair asTakenNow(double nowMicros, double newPeriodMicros) {
        double all = Math.min(previous + current, MOST_PERMITS);
        return new WindowPair(0.0, all, startOf(nowMicros, newPeriodMicros), newPeriodMicros);
    }

    /** What counts of the previous window at a moment of the current one: the share that lies within one period. */
    double carried(double elapsedMicros) {
        return Math.ceil(previous * (periodMicros - elapsedMicros) / periodMicros);
    }

    WindowPair plus(double permits) {
        return new WindowPair(previous, Math.min(current + permits, MOST_PERMITS), startMicros, periodMicros);
    }

    /** Takes permits out again, first those of the current window. */
    WindowPair minus(double permits) {
        double newest = Math.min(current, permits);
        return new WindowPair(
                Math.max(0.0, previous - (permits - newest)), current - newest, startMicros, periodMicros);
    }
}
