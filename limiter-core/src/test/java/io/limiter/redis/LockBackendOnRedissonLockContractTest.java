package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.testing.Steps;

/** The engine under another lock; {@link LongRedissonLockContractTest} is the whole contract. */
class LockBackendOnRedissonLockContractTest extends RedisCallsContract {

    @Override
    protected LimiterFactory build() {
        return redis.underRedissonLock();
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
