package io.limiter.redis;

import io.limiter.CallsContract;
import io.limiter.testing.TestClock;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What differs with another client or another lock, on a real Redis. */
abstract class RedisCallsContract extends CallsContract {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Override
    protected final TestClock clock() {
        return redis.clock();
    }
}
