package io.limiter;

import io.limiter.internal.arithmetic.Check;
import java.time.Duration;

/**
 * How the instances prefetch permits; see {@link LimiterFactory#withPrefetch(Duration)}.
 *
 * @param time prefetch time: how much later a permit may be used than Redis counts it as used, from 10 ms to 10 s
 * @param callsPerSecond how often the whole fleet calls Redis to prefetch permits of one key, from 1 to 1,000,000
 */
public record PrefetchTerms(Duration time, int callsPerSecond) {

    /** Of the whole fleet, for one key. */
    public static final int DEFAULT_CALLS_PER_SECOND = 5_000;

    public static final Duration SHORTEST_TIME = Duration.ofMillis(10);
    public static final Duration LONGEST_TIME = Duration.ofSeconds(10);
    public static final int MOST_CALLS_PER_SECOND = 1_000_000;

    /** With {@value #DEFAULT_CALLS_PER_SECOND} calls per second. */
    public PrefetchTerms(Duration time) {
        this(time, DEFAULT_CALLS_PER_SECOND);
    }

    public PrefetchTerms {
        Check.duration("prefetch time", time, SHORTEST_TIME, LONGEST_TIME);
        Check.range("prefetch calls (per second)", callsPerSecond, 1, MOST_CALLS_PER_SECOND);
    }
}
