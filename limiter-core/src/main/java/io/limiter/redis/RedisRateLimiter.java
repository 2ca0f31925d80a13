package io.limiter.redis;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;

/**
 * A {@link io.limiter.RateLimiter} whose permits are in Redis, shared by every JVM that uses the same name and prefix;
 * {@link RedisRateLimiterFactory} builds it. Time is the Redis server's, so the clocks of the JVMs do not matter.
 */
public final class RedisRateLimiter extends EngineRateLimiter {

    RedisRateLimiter(KeySpace keys, TokenBucket limit, Failover engine, Sleeper sleeper) {
        super(keys, limit, engine, sleeper);
    }
}
