package io.limiter.redis;

import io.limiter.RateLimiter;

/**
 * A {@link RateLimiter} whose permits are in Redis, as a {@link RedisRateLimiterFactory} builds it: a token bucket for every JVM that
 * uses the same name.
 *
 * <p>Applications call it and do not implement it, so later versions may add methods.
 */
public interface RedisRateLimiter extends RateLimiter {

    @Override
    RedisRateLimiter on(String key);

    /**
     * The key in Redis of the permits that this limiter takes. If it is a view of a {@linkplain #on key}, they are those of that key, and otherwise
     * those of the limiter itself. Operators use it to find the bucket, with {@code PTTL} or {@code DEL}.
     */
    String redisKey();
}
