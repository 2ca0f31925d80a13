package io.limiter.algorithm;

import io.limiter.internal.arithmetic.Ranges;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A warm-up of a bucket: after a pause it grants slowly, and reaches its rate over the warm-up period. For resources
 * that are not ready for full load after a pause, for example a cache or a connection pool.
 *
 * <p>In a bursty bucket, stored permits are unused capacity and free. With a warm-up they measure how cold the bucket
 * is, and each costs <em>more</em> time than a new permit. How much more depends on how many are stored:
 *
 * <pre>
 *           ^  time to take one permit
 *           |
 *   cold    +                  /.
 *   interval|                 / .
 *           |                /  .
 *           |               /   .   area = warm-up period
 *           |              /    .
 *   stable  +-------------/     .
 *   interval|            .|     .
 *           |            .|     .
 *         0 +------------+------+----&gt;  stored permits
 *           0        threshold  max
 * </pre>
 *
 * <p>Taking permits moves from right to left and costs the area in between. From {@code max} to {@code threshold} that
 * is the trapezoid, which is the warm-up period by definition:
 *
 * <pre>
 *   period = (stable + cold) / 2 * (max - threshold)      so  max = threshold + 2 * period / (stable + cold)
 * </pre>
 *
 * From {@code threshold} to 0 it is the rectangle, half the period by choice ({@code threshold = period / 2 / stable}).
 * The last stored permit costs as much as a new one, so the cost has no jump.
 *
 * <p>An idle bucket cools down evenly, from 0 to {@code max} in one period: one permit each {@code period / max}. At a
 * cold factor of 3 that is the stable interval.
 *
 * <p>This is Guava's {@code SmoothRateLimiter.SmoothWarmingUp} without the truncation to whole microseconds.
 */
public final class WarmUp {

    /** Guava's cold factor: a cold limiter grants at a third of its rate. */
    public static final double DEFAULT_COLD_FACTOR = 3.0;

    private static final double MAX_COLD_FACTOR = 1000.0;

    private final Duration period;
    private final double coldFactor;

    private WarmUp(Duration period, double coldFactor) {
        Ranges.duration("warm-up period", period, Duration.ofNanos(1000));
        Ranges.moreThan("cold factor", coldFactor, 1.0, MAX_COLD_FACTOR);

        this.period = period;
        this.coldFactor = coldFactor;
    }

    /** A warm-up with this period, from 1 µs to 1,000 days, and Guava's cold factor. */
    public static WarmUp of(Duration period) {
        return new WarmUp(period, DEFAULT_COLD_FACTOR);
    }

    /** This warm-up with another cold factor, more than 1 and at most 1000. */
    public WarmUp withColdFactor(double newColdFactor) {
        return new WarmUp(period, newColdFactor);
    }

    double maxPermits(double stableIntervalMicros) {
        double coldIntervalMicros = stableIntervalMicros * coldFactor;
        return thresholdPermits(stableIntervalMicros)
                + 2.0 * Ranges.micros(period) / (stableIntervalMicros + coldIntervalMicros);
    }

    /** How many stored permits cost no more than a new one. */
    public double thresholdPermits(double stableIntervalMicros) {
        return 0.5 * Ranges.micros(period) / stableIntervalMicros;
    }

    /** How much the time for a permit grows with each stored permit above the threshold, in microseconds. */
    public double slopeMicros(double stableIntervalMicros) {
        return (stableIntervalMicros * coldFactor - stableIntervalMicros)
                / (maxPermits(stableIntervalMicros) - thresholdPermits(stableIntervalMicros));
    }

    /** How long it takes to take some of the stored permits, in microseconds: the area under the curve. */
    double storedToMicros(double stored, double taken, double stableIntervalMicros) {
        double above = Math.max(0.0, stored - thresholdPermits(stableIntervalMicros));
        double takenAbove = Math.min(above, taken);
        double slope = slopeMicros(stableIntervalMicros);
        double first = stableIntervalMicros + above * slope;
        double last = stableIntervalMicros + (above - takenAbove) * slope;
        return takenAbove * (first + last) / 2.0 + (taken - takenAbove) * stableIntervalMicros;
    }

    /**
     * How many stable intervals it takes to store one permit: {@code period / maxPermits / stable}. The period cancels
     * out, so a state that was written under another period is settled at its own rate.
     */
    public double coolDownIntervals() {
        return 1.0 / (0.5 + 2.0 / (1.0 + coldFactor));
    }

    /** How long a cold limiter takes to reach its rate under full load, from 1 µs to 1,000 days. */
    public Duration period() {
        return period;
    }

    /** How many times slower a cold limiter is than a warm one; more than 1, at most 1000. */
    public double coldFactor() {
        return coldFactor;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof WarmUp that
                        && period.equals(that.period)
                        && Double.compare(coldFactor, that.coldFactor) == 0;
    }

    @Override
    public int hashCode() {
        int hash = period.hashCode();
        hash = 31 * hash + Double.hashCode(coldFactor);
        return hash;
    }

    @Override
    public String toString() {
        return "WarmUp[period=" + period + ", coldFactor=" + coldFactor + "]";
    }
}
