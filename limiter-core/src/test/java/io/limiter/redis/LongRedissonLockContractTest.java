package io.limiter.redis;

import io.limiter.LimiterFactory;
import io.limiter.testing.Steps;
import org.junit.jupiter.api.Tag;

/** The whole contract under Redisson's lock. */
@Tag("soak")
class LongRedissonLockContractTest extends RedisEngineContract {

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
