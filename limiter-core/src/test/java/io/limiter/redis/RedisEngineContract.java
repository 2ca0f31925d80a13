package io.limiter.redis;

import io.limiter.EngineContract;
import io.limiter.LimiterFactory;
import io.limiter.testing.TestClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract on a real Redis. */
abstract class RedisEngineContract extends EngineContract {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private @Nullable LimiterFactory limiters;

    /** A factory on the engine under test. */
    abstract LimiterFactory build();

    @Override
    protected final LimiterFactory limiters() {
        if (limiters == null) {
            limiters = build();
        }
        return limiters;
    }

    @Override
    protected final TestClock clock() {
        return redis.clock();
    }
}
