package io.limiter.algorithm;

import java.time.Duration;

/**
 * How an instance may prefetch permits and grant them without the backend; see {@link TokenBucket#prefetch(int,
 * Duration)}.
 *
 * @param maxPermits how many permits of one key an instance holds at most, from 1 to 1,000,000,000
 * @param maxTime how long it holds them at most, from 1 ms to 1 h
 */
public record PrefetchTerms(int maxPermits, Duration maxTime) {

    private static final Duration LONGEST = Duration.ofHours(1);

    public PrefetchTerms {
        Check.range("prefetch permits", maxPermits, 1, 1_000_000_000);
        Check.duration("prefetch time", maxTime, Duration.ofMillis(1));
        if (maxTime.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("prefetch time must be at most " + LONGEST + ", was " + maxTime);
        }
    }
}
