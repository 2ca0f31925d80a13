package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Check;
import org.jspecify.annotations.Nullable;

/**
 * How much the instances that prefetch want. It exists while one has prefetched within the last minute.
 *
 * @param nextCallMicros when the next call of an instance is due, in microseconds since the epoch: each reserves one
 * @param permits that all of them want in a period, as far as they have called in it
 */
public record Demand(
        @JsonProperty(required = true) double nextCallMicros,
        @JsonProperty(required = true) double permits) {

    /** How far from the time of a call the next one is due at most. */
    static final double MOST_AHEAD_MICROS = 60_000_000.0;

    /** More is as much. */
    private static final double MOST_PERMITS = 0x1p52;

    public Demand {
        if (!(Check.isTime(nextCallMicros) && nextCallMicros > 0.0 && Check.isTime(permits))) {
            throw new IllegalArgumentException(
                    "not a bucket's demand: nextCallMicros " + nextCallMicros + ", permits " + permits);
        }
    }

    boolean isOf(double nowMicros) {
        return nextCallMicros - nowMicros <= MOST_AHEAD_MICROS && nowMicros - nextCallMicros <= MOST_AHEAD_MICROS;
    }

    /**
     * After a call for more permits. What earlier ones wanted is forgotten evenly over a period.
     *
     * @param periodMicros more than 0
     */
    static Demand after(@Nullable Demand earlier, double wanted, double newNextCallMicros, double periodMicros) {
        double passed = earlier == null ? periodMicros : newNextCallMicros - earlier.nextCallMicros;
        double left = earlier != null && passed < periodMicros ? earlier.permits * (1.0 - passed / periodMicros) : 0.0;
        return new Demand(newNextCallMicros, Math.min(MOST_PERMITS, left + wanted));
    }
}
