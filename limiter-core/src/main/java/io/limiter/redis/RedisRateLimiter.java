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
     * The key in Redis of the permits that this limiter takes: that of the {@linkplain #on key} if it is a view of one, otherwise that of
     * the limiter's own. Operators find the bucket by it, with {@code PTTL} or {@code DEL}.
     */
    String redisKey();
}
