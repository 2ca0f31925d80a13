package io.limiter.redis;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.waiting.Waits;

/** A {@link RedisRateLimiter} on an engine, or a view of one of its keys. */
final class EngineRedisRateLimiter extends EngineRateLimiter implements RedisRateLimiter {

    EngineRedisRateLimiter(KeySpace keys, TokenBucket limit, Failover engine, Waits waits) {
        super(keys, limit, engine, waits);
    }

    private EngineRedisRateLimiter(EngineRedisRateLimiter limiter, String key) {
        super(limiter, key);
    }

    @Override
    public EngineRedisRateLimiter on(String key) {
        return new EngineRedisRateLimiter(this, key);
    }

    @Override
    public String redisKey() {
        return storedKey();
    }
}
