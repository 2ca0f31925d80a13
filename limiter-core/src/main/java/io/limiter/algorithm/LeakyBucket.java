package io.limiter.algorithm;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.arithmetic.Rounding;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Leaky buckets, as {@linkplain TokenBucket token buckets} with the same decisions. The level of the leaky bucket is
 * the number of permits taken from the token bucket (the generic cell rate algorithm of ITU-T I.371, annex A).
 *
 * <ul>
 *   <li>As a <em>meter</em>, a bucket leaks at a steady rate, and a request that would overflow it is rejected.
 *   <li>As a <em>queue</em>, requests leave one by one at even intervals. Each decision has the wait, and a request that finds the queue full is
 *       rejected.
 * </ul>
 */
public final class LeakyBucket {

    private LeakyBucket() {}

    /**
     * A leaky bucket as a meter.
     *
     * @param leakPerSecond the rate in permits per second, from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000
     * @param capacity the capacity in permits, from 1 to 1,000,000,000,000, and at most what leaks in 1,000 days
     */
    public static TokenBucket meter(double leakPerSecond, long capacity) {
        Ranges.range("capacity", capacity, 1, TokenBucket.MAX_CAPACITY);
        return TokenBucket.perSecond(leakPerSecond).withCapacity(capacity).withKind(LimitKind.LEAKY_BUCKET);
    }

    /**
     * A leaky bucket as a queue. {@code acquire()} waits in the queue, {@code tryAcquire()} does not.
     *
     * @param permitsPerSecond the rate in permits per second, from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000
     * @param maxWaiting how many can wait at most, from 0 to 1,000,000,000,000. To serve them all may take 1,000 days at most
     */
    public static TokenBucket queue(double permitsPerSecond, long maxWaiting) {
        Ranges.range("maxWaiting", maxWaiting, 0, TokenBucket.MAX_CAPACITY);
        // Checks the rate.
        TokenBucket oneByOne =
                TokenBucket.perSecond(permitsPerSecond).withCapacity(1).withKind(LimitKind.LEAKY_QUEUE);
        double micros = Rounding.wholeMicros(maxWaiting / permitsPerSecond * 1e6, 1e6 / permitsPerSecond);
        return oneByOne.withMaxWait(
                micros > Ranges.MAX_DURATION.toSeconds() * 1e6
                        ? Ranges.MAX_DURATION.plusNanos(1)
                        : Duration.of((long) micros, ChronoUnit.MICROS));
    }
}
