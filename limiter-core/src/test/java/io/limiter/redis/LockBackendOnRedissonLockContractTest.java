package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.testing.Steps;

class LockBackendOnRedissonLockContractTest extends RedisEngineContract {

    @Override
    LimiterFactory build() {
        return redis.underLock(new RedissonLock(RedisFixture.redisson()));
    }

    @Override
    protected int steps(int everyday) {
        return Steps.underLock(everyday);
    }

    @Override
    protected void awaitIdle() {
        awaitNoLock();
    }
}
