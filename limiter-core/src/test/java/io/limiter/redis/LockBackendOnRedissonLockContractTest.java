package io.limiter.redis;

import io.limiter.LimiterFactory;

class LockBackendOnRedissonLockContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.underLock(new RedissonLock(RedisFixture.redisson()));
    }

    @Override
    protected void awaitIdle() {
        awaitNoLock();
    }
}
