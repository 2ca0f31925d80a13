package io.limiter.redis;

import io.limiter.LimiterFactory;

class LockBackendOnRedisLockContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.underLock(new RedisLock(RedisFixture.connections()));
    }

    @Override
    protected void awaitIdle() {
        awaitNoLock();
    }
}
