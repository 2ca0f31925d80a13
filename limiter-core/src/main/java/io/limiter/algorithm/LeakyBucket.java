package io.limiter.algorithm;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Leaky buckets, which are {@linkplain TokenBucket token buckets} seen from the other side: what has been poured in here is
 * what has been taken out there, and both come to the same decisions (ITU-T I.371, annex A, calls it the generic cell rate
 * algorithm). So there is no arithmetic of its own, only the numbers.
 *
 * <ul>
 *   <li>As a <em>meter</em>, a bucket of some capacity leaks at a steady rate; a request that would make it overflow is
 *       rejected.
 *   <li>As a <em>queue</em>, requests leave one by one at the rate, at even distances; each is told how long it waits, and
 *       one that finds too many waiting is rejected.
 * </ul>
 */
public final class LeakyBucket {

    private LeakyBucket() {}

    /**
     * A bucket that overflows.
     *
     * @param leakPerSecond how many permits leave it per second, from 0.00000001 to 1,000,000,000
     * @param capacity how many permits it holds, at least 1
     */
    public static TokenBucket meter(double leakPerSecond, long capacity) {
        Check.range("capacity", capacity, 1, 1_000_000_000_000L);
        return TokenBucket.perSecond(leakPerSecond).capacity(capacity);
    }

    /**
     * Callers who go one by one, at even distances. {@code acquire()} waits for its turn, {@code tryAcquire()} does not.
     *
     * @param permitsPerSecond how many go per second, from 0.00000001 to 1,000,000,000
     * @param maxWaiting how many wait at most, from 0 to 1,000,000,000; the time it takes to serve them all must not be
     *     longer than 1,000 days
     */
    public static TokenBucket queue(double permitsPerSecond, int maxWaiting) {
        Check.range("maxWaiting", maxWaiting, 0, 1_000_000_000);
        // Checks the rate.
        TokenBucket oneByOne = TokenBucket.perSecond(permitsPerSecond).capacity(1);
        double micros = RedisPermits.wholeMicros(maxWaiting / permitsPerSecond * 1e6, 1e6 / permitsPerSecond);
        return oneByOne.maxWait(
                micros > Check.MAX_DURATION.toSeconds() * 1e6
                        ? Check.MAX_DURATION.plusNanos(1)
                        : Duration.of((long) micros, ChronoUnit.MICROS));
    }
}
