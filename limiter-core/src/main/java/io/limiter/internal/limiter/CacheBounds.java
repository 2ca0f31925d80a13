package io.limiter.internal.limiter;

import java.time.Duration;

/**
 * How many limiters a factory keeps. A limiter that was dropped is built again when it is next asked for; its permits
 * are in the backend and not affected.
 *
 * @param initial for how many the cache is laid out at first, at least 0
 * @param maximum how many are kept at most, at least 1
 * @param expireAfterAccess how long one is kept that nobody asks for, more than zero
 */
public record CacheBounds(int initial, long maximum, Duration expireAfterAccess) {

    /** 100 at first, 10,000 at most, 5 minutes. */
    public static final CacheBounds DEFAULT = new CacheBounds(100, 10_000, Duration.ofMinutes(5));

    public CacheBounds {
        if (initial < 0) {
            throw new IllegalArgumentException("cache initial must be at least 0, was " + initial);
        }
        if (maximum < 1) {
            throw new IllegalArgumentException("cache maximum must be at least 1, was " + maximum);
        }
        if (expireAfterAccess.isZero() || expireAfterAccess.isNegative()) {
            throw new IllegalArgumentException(
                    "cache expireAfterAccess must be more than zero, was " + expireAfterAccess);
        }
    }
}
