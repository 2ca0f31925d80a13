package io.limiter.redis;

import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.limiter.EngineCountLimiter;
import io.limiter.spi.Engine;

/**
 * A {@link io.limiter.CountLimiter} whose windows are in Redis, shared by every JVM that uses the same name and prefix;
 * {@link RedisRateLimiterFactory} builds it. Time is the Redis server's.
 */
public final class RedisCountLimiter extends EngineCountLimiter {

    RedisCountLimiter(String name, String prefix, FixedWindow limit, Engine engine) {
        super(name, prefix, limit, engine);
    }
}
