package io.limiter.redis;

import io.limiter.EngineContract;
import io.limiter.testing.TestClock;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract on a real Redis. */
abstract class RedisEngineContract extends EngineContract {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Override
    protected final TestClock clock() {
        return redis.clock();
    }
}
