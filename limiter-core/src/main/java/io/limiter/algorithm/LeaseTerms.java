package io.limiter.algorithm;

import java.time.Duration;

/**
 * How an instance may take permits ahead and give them out by itself; see {@link TokenBucketBuilder#lease}.
 *
 * @param maxPermits how many permits of one key an instance holds at most, from 1 to 1,000,000,000
 * @param maxTime how long it holds them at most, from 1 ms to 1 h
 */
public record LeaseTerms(int maxPermits, Duration maxTime) {

    private static final Duration LONGEST = Duration.ofHours(1);

    public LeaseTerms {
        Check.range("lease maxPermits", maxPermits, 1, 1_000_000_000);
        Check.duration("lease maxTime", maxTime, Duration.ofMillis(1));
        if (maxTime.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("lease maxTime must be at most " + LONGEST + ", was " + maxTime);
        }
    }
}
