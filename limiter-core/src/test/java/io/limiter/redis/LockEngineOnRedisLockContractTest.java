package io.limiter.redis;

import io.limiter.LimiterFactory;

class LockEngineOnRedisLockContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.underLock(new RedisLock(RedisFixture.connections()));
    }
}
