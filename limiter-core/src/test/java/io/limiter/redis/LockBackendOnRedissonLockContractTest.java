package io.limiter.redis;

import io.limiter.DecisionsContract;
import io.limiter.LimiterFactory;
import io.limiter.testing.Steps;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine under another lock. */
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

    @Nested
    @Tag("soak")
    class Decisions extends DecisionsContract {}
}
