package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.testing.Steps;

class LockBackendOnRedisLockContractTest extends RedisEngineContract {

    @Override
    protected LimiterFactory build() {
        return redis.underLock();
    }

    @Override
    protected int steps(int everyday) {
        return Steps.underLock(everyday);
    }

    @Override
    protected void awaitIdle() {
        redis.awaitNoLock();
    }
}
