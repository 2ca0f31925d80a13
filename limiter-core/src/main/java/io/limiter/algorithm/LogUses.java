package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;

/**
 * The facts that a {@link SlidingLog} keeps about the limits that share it.
 *
 * @param periodMicros the longest period, in microseconds: so long permits are kept, or 0 if the log is new
 * @param limit the largest limit: twice as many permits are kept one by one
 * @param otherPeriodMicros the longest other period that was used since that one was, or 0 if there is none
 * @param usedMicros when the longest period was last used, if there is another one, otherwise 0
 */
public record LogUses(
        @JsonProperty(required = true) double periodMicros,
        @JsonProperty(required = true) double limit,
        @JsonProperty(required = true) double otherPeriodMicros,
        @JsonProperty(required = true) double usedMicros) {

    static final LogUses NONE = new LogUses(0.0, 0.0, 0.0, 0.0);

    public LogUses {
        if (!(Ranges.isTime(periodMicros)
                && Ranges.isCount(limit, SlidingLog.State.MOST_PERMITS)
                && Ranges.isTime(otherPeriodMicros)
                && Ranges.isTime(usedMicros))) {
            throw new IllegalArgumentException("not the uses of a log: periodMicros " + periodMicros + ", limit "
                    + limit + ", otherPeriodMicros " + otherPeriodMicros + ", usedMicros " + usedMicros);
        }
    }

    /** The uses of a log by one limit only. */
    static LogUses of(SlidingLog limit) {
        return new LogUses(limit.periodMicros(), limit.limit(), 0.0, 0.0);
    }

    /**
     * With a use of this limit. The longest period is forgotten when it was not used for as long as it is; then the longest of
     * those that were used since is the longest one.
     */
    LogUses with(SlidingLog used, double nowMicros) {
        if (periodMicros == 0.0) {
            return of(used);
        }
        double period = used.periodMicros();
        double largest = Math.max(limit, used.limit());
        if (period == periodMicros && otherPeriodMicros == 0.0 && largest == limit) {
            return this;
        }
        double longest = periodMicros;
        double other = otherPeriodMicros;
        double since = other == 0.0 ? nowMicros : Math.min(usedMicros, nowMicros);
        if (period < longest && nowMicros - since >= longest) {
            longest = other;
            other = 0.0;
            since = nowMicros;
        }
        if (period > longest) {
            other = longest;
            longest = period;
        } else if (period < longest) {
            other = Math.max(other, period);
        }
        since = period == longest ? nowMicros : since;
        return new LogUses(longest, largest, other, other == 0.0 ? 0.0 : since);
    }
}
