package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

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
public record WindowPair(
        double previous,
        double current,
        double startMicros,
        double periodMicros,
        @Nullable @JsonInclude(JsonInclude.Include.NON_NULL) OtherWindows other) {

    /**
     * The windows of another period.
     *
     * @param pair what was taken in them; has no other ones itself
     * @param usedMicros when a limiter of that period last used them, in whole microseconds since the epoch
     */
    public record OtherWindows(
            @JsonProperty(required = true) WindowPair pair,
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
    public WindowPair(
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
            throw new IllegalArgumentException("not a counter's state: previous " + previous + ", current " + current
                    + ", startMicros " + startMicros + ", periodMicros " + periodMicros);
        }
        this.previous = previous;
        this.current = current;
        this.startMicros = startMicros;
        this.periodMicros = periodMicros;
        this.other = other;
    }

    /** In windows of one length. */
    public WindowPair(double previous, double current, double startMicros, double periodMicros) {
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
    WindowPair at(double nowMicros) {
        OtherWindows othersThen = other == null ? null : new OtherWindows(other.pair.at(nowMicros), other.usedMicros);
        double start = startOf(nowMicros, periodMicros);
        if (start == startMicros) {
            return with(othersThen);
        }
        if (start < startMicros) {
            double all = Math.min(previous + current, MOST_PERMITS);
            return new WindowPair(0.0, all, start, periodMicros, othersThen);
        }
        boolean next = start == startMicros + periodMicros;
        return new WindowPair(next ? current : 0.0, 0.0, start, periodMicros, othersThen);
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
    WindowPair under(double newPeriodMicros, double nowMicros) {
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
                    : other.pair.rearranged(newPeriodMicros, nowMicros).with(new OtherWindows(with(null), nowMicros));
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

    private WindowPair swapped(double nowMicros) {
        return other == null ? this : other.pair.with(new OtherWindows(with(null), nowMicros));
    }

    private WindowPair with(@Nullable OtherWindows newOther) {
        return newOther == other ? this : new WindowPair(previous, current, startMicros, periodMicros, newOther);
    }

    /** In windows of another length. Each permit counts as taken when it can have been taken last, so nothing is freed. */
    private WindowPair rearranged(double newPeriodMicros, double nowMicros) {
        double start = startOf(nowMicros, newPeriodMicros);
        if (startMicros > start) {
            return new WindowPair(0.0, Math.min(previous + current, MOST_PERMITS), start, newPeriodMicros);
        }
        return new WindowPair(startMicros > start - newPeriodMicros ? previous : 0.0, current, start, newPeriodMicros);
    }

    /** What counts of the previous window at a moment of the current one: the share that lies within one period. */
    double carried(double elapsedMicros) {
        return Math.ceil(previous * (periodMicros - elapsedMicros) / periodMicros);
    }

    WindowPair plus(double permits) {
        OtherWindows others = other == null ? null : new OtherWindows(other.pair.plus(permits), other.usedMicros);
        return new WindowPair(previous, Math.min(current + permits, MOST_PERMITS), startMicros, periodMicros, others);
    }

    /** Takes permits out again, first those of the current window. */
    WindowPair minus(double permits) {
        OtherWindows others = other == null ? null : new OtherWindows(other.pair.minus(permits), other.usedMicros);
        double newest = Math.min(current, permits);
        return new WindowPair(
                Math.max(0.0, previous - (permits - newest)), current - newest, startMicros, periodMicros, others);
    }

    /** Takes permits out of the window in which they were granted, as far as it has them. */
    WindowPair without(double permits, double grantedMicros) {
        OtherWindows others =
                other == null ? null : new OtherWindows(other.pair.without(permits, grantedMicros), other.usedMicros);
        double since = grantedMicros - startMicros;
        double fromCurrent = since >= 0.0 && since < periodMicros ? Math.min(current, permits) : 0.0;
        double fromPrevious = since < 0.0 && since >= -periodMicros ? Math.min(previous, permits) : 0.0;
        return new WindowPair(previous - fromPrevious, current - fromCurrent, startMicros, periodMicros, others);
    }

    /** Microseconds from now until nothing of it counts any more. */
    double leavesMicros(double nowMicros) {
        double leaves = startMicros + 2.0 * periodMicros - nowMicros;
        return other == null ? leaves : Math.max(leaves, other.pair.leavesMicros(nowMicros));
    }
}
