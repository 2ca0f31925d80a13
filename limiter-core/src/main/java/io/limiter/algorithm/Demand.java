package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import org.jspecify.annotations.Nullable;

/**
 * The permits that the instances that prefetch want and hold. It exists while one has prefetched within the last minute.
 *
 * @param calledMicros when an instance last prefetched, in microseconds since the epoch
 * @param nextCallMicros when the next call of that instance is due: each reserves a later time
 * @param permits that all of them want in a period, as far as they have called in it
 * @param heldPermits the most permits that all of them held together after that call
 */
public record Demand(
        @JsonProperty(required = true) double calledMicros,
        @JsonProperty(required = true) double nextCallMicros,
        @JsonProperty(required = true) double permits,
        @JsonProperty(required = true) double heldPermits) {

    /** How far from the time of a call the next one is due at most. */
    static final double MOST_AHEAD_MICROS = 60_000_000.0;

    /** The most permits that are counted. No bucket has as many, so nothing changes above it, and sums stay exact in a double. */
    private static final double MOST_PERMITS = 0x1p52;

    public Demand {
        if (!(Ranges.isTime(calledMicros)
                && Ranges.isTime(nextCallMicros)
                && nextCallMicros > 0.0
                && Ranges.isTime(permits)
                && Ranges.isTime(heldPermits))) {
            throw new IllegalArgumentException("not a bucket's demand: calledMicros " + calledMicros
                    + ", nextCallMicros " + nextCallMicros + ", permits " + permits + ", heldPermits " + heldPermits);
        }
    }

    /** This demand by a clock that may have stepped back, or {@code null} if it is too old. */
    @Nullable
    Demand at(double nowMicros) {
        boolean steppedBack = nowMicros < calledMicros;
        double next = steppedBack ? nowMicros + (nextCallMicros - calledMicros) : nextCallMicros;
        if (!(next > 0.0) || next - nowMicros > MOST_AHEAD_MICROS || nowMicros - next > MOST_AHEAD_MICROS) {
            return null;
        }
        return steppedBack ? new Demand(nowMicros, next, permits, heldPermits) : this;
    }

    /**
     * The most permits that instances can hold now. Each drops permits evenly until its next call is due, which is not after
     * the last one that was reserved.
     */
    double heldPermits(double nowMicros) {
        return nowMicros >= nextCallMicros
                ? 0.0
                : heldPermits * ((nextCallMicros - nowMicros) / (nextCallMicros - calledMicros));
    }

    /**
     * After a call for more permits. What earlier ones wanted is forgotten evenly over a period.
     *
     * @param periodMicros more than 0
     */
    static Demand after(
            @Nullable Demand earlier, double wanted, double nowMicros, double newNextCallMicros, double periodMicros) {
        double passed = earlier == null ? periodMicros : newNextCallMicros - earlier.nextCallMicros;
        double left = earlier != null && passed < periodMicros ? earlier.permits * (1.0 - passed / periodMicros) : 0.0;
        double held = earlier == null ? 0.0 : earlier.heldPermits(nowMicros);
        return new Demand(nowMicros, newNextCallMicros, Math.min(MOST_PERMITS, left + wanted), held);
    }

    /** After it has taken permits. */
    Demand holding(double taken) {
        return new Demand(calledMicros, nextCallMicros, permits, Math.min(MOST_PERMITS, heldPermits + taken));
    }
}
