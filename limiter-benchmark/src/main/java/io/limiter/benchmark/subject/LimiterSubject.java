package io.limiter.benchmark.subject;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.engine.CacheBounds;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisLock;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.RedissonLock;

/** This project's limiters: one limiter, and the ids are its keys. */
final class LimiterSubject implements Subject {

    private static final int DEFAULT_LOCAL_KEYS = 100_000;

    private final RateLimiter limiter;
    private final String[] ids;

    private LimiterSubject(LimiterFactory factory, Allowance allowance, String[] ids) {
        this.limiter = factory.build(
                "api",
                TokenBucket.builder(
                                allowance.permitsPerSecond(), allowance.period().toSeconds())
                        .build());
        this.ids = ids;
    }

    static Subject script(RedisClients clients, Allowance allowance, String[] ids) {
        return new LimiterSubject(
                RedisRateLimiterFactory.builder(clients.springDataRedis()).build(), allowance, ids);
    }

    static Subject redissonLock(RedisClients clients, Allowance allowance, String[] ids) {
        RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(clients.springDataRedis())
                .lock(new RedissonLock(clients.redisson()))
                .build();
        return new LimiterSubject(factory, allowance, ids);
    }

    static Subject redisLock(RedisClients clients, Allowance allowance, String[] ids) {
        var connections = clients.springDataRedis();
        RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(connections)
                .lock(new RedisLock(connections))
                .build();
        return new LimiterSubject(factory, allowance, ids);
    }

    static Subject local(RedisClients clients, Allowance allowance, String[] ids) {
        int maxKeys = Math.max(DEFAULT_LOCAL_KEYS, ids.length);
        return new LimiterSubject(new LocalLimiterFactory(CacheBounds.DEFAULT, maxKeys), allowance, ids);
    }

    @Override
    public boolean tryAcquire(int id) {
        return limiter.tryAcquire(ids[id]);
    }
}
