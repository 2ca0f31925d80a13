package io.limiter.algorithm;

import java.time.Duration;

/**
 * A bucket that serves slowly after a pause and comes up to its rate over the warm-up period: for a resource that is
 * not ready for full load when it was idle, such as a cache that must fill or a pool that must connect.
 *
 * <p>Stored permits mean the opposite of what they mean in a bursty bucket. There they are unused capacity, free to
 * take; here they are coldness, and taking one costs <em>more</em> time than a fresh permit does. How much more depends
 * on how many are stored:
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
 * <p>Taking permits walks from right to left, and costs the area that is passed. From {@code max} to
 * {@code threshold} that is the trapezoid, which by definition is the warm-up period:
 *
 * <pre>
 *   period = (stable + cold) / 2 * (max - threshold)      so  max = threshold + 2 * period / (stable + cold)
 * </pre>
 *
 * From {@code threshold} to 0 it is the rectangle, chosen as half the period ({@code threshold = period / 2 / stable}),
 * which makes the price of the last stored permit that of a fresh one, so the cost has no jump.
 *
 * <p>While idle the bucket cools down evenly and takes one period from 0 to {@code max}: one permit each
 * {@code period / max}. A cold factor of 3 makes that exactly the stable interval.
 *
 * <p>The algorithm and its numbers are those of Guava's {@code SmoothRateLimiter.SmoothWarmingUp}, without the cut to
 * whole microseconds.
 *
 * @param period how long a cold limiter under full load takes to come up to its rate; from 1 us, at most
 *     1,000 days
 * @param coldFactor how many times slower a cold limiter is than a warm one; more than 1, at most 1000
 */
public record WarmUp(Duration period, double coldFactor) {

    /** Guava's: a cold limiter serves at a third of its rate. */
    public static final double DEFAULT_COLD_FACTOR = 3.0;

    private static final double MAX_COLD_FACTOR = 1000.0;

    public WarmUp {
        Check.duration("warm-up period", period, Duration.ofNanos(1000));
        Check.moreThan("cold factor", coldFactor, 1.0, MAX_COLD_FACTOR);
    }

    public WarmUp(Duration period) {
        this(period, DEFAULT_COLD_FACTOR);
    }

    double maxPermits(double stableIntervalMicros) {
        double coldIntervalMicros = stableIntervalMicros * coldFactor;
        return thresholdPermits(stableIntervalMicros)
                + 2.0 * Check.micros(period) / (stableIntervalMicros + coldIntervalMicros);
    }

    double thresholdPermits(double stableIntervalMicros) {
        return 0.5 * Check.micros(period) / stableIntervalMicros;
    }

    /** How much the time for a permit grows with each stored permit above the threshold, in microseconds. */
    double slopeMicros(double stableIntervalMicros) {
        return (stableIntervalMicros * coldFactor - stableIntervalMicros)
                / (maxPermits(stableIntervalMicros) - thresholdPermits(stableIntervalMicros));
    }

    /**
     * The time in which one permit is stored, in stable intervals: {@code period / maxPermits / stable}, in which the
     * period cancels out. So a state that was written under another period can still be settled at its own pace.
     */
    double coolDownIntervals() {
        return 1.0 / (0.5 + 2.0 / (1.0 + coldFactor));
    }
}
