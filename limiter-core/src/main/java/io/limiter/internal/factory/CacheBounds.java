package io.limiter.internal.factory;

import java.time.Duration;
import java.util.Objects;

/**
 * Bounds of a factory's cache of limiters. An evicted limiter is built again when needed; its permits are in the backend.
 *
 * @param initial initial capacity, at least 0
 * @param maximum maximum size, at least 1
 * @param expireAfterAccess how long an unused limiter is kept, more than zero
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
        if (Objects.requireNonNull(expireAfterAccess, "expireAfterAccess").isZero() || expireAfterAccess.isNegative()) {
            throw new IllegalArgumentException(
                    "cache expireAfterAccess must be more than zero, was " + expireAfterAccess);
        }
    }
}
