package io.limiter;

import java.time.Duration;
import java.util.Objects;

/**
 * How an instance may prefetch permits; see {@link LimiterFactory#withPrefetch}.
 *
 * @param maxPermits how many permits of one key an instance holds at most, from 1 to 1,000,000,000
 * @param maxTime how long it holds them at most, from 1 ms to 1 h
 */
public record PrefetchTerms(int maxPermits, Duration maxTime) {

    private static final int MOST = 1_000_000_000;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    public PrefetchTerms {
        if (maxPermits < 1 || maxPermits > MOST) {
            throw new IllegalArgumentException(
                    "prefetch permits must be between 1 and " + MOST + ", was " + maxPermits);
        }
        Objects.requireNonNull(maxTime, "maxTime");
        if (maxTime.compareTo(SHORTEST) < 0 || maxTime.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "prefetch time must be between " + SHORTEST + " and " + LONGEST + " (ISO-8601), was " + maxTime);
        }
    }
}
