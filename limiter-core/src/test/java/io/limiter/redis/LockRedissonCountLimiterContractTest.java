package io.limiter.redis;

import io.limiter.CountLimiterContract;
import io.limiter.LimiterFactory;
import io.limiter.testing.TestClock;
import org.junit.jupiter.api.extension.RegisterExtension;

class LockRedissonCountLimiterContractTest extends CountLimiterContract {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Override
    protected LimiterFactory limiters() {
        return limiters == null ? limiters = redis.underLock(new RedissonLock(RedisFixture.redisson())) : limiters;
    }

    @Override
    protected TestClock clock() {
        return redis.clock();
    }

    private LimiterFactory limiters;
}
