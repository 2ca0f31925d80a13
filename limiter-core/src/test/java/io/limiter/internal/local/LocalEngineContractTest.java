package io.limiter.internal.local;

import io.limiter.EngineContract;
import io.limiter.LimiterFactory;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.time.ServerTime;
import io.limiter.testing.TestClock;

class LocalEngineContractTest extends EngineContract {

    private final TestClock clock = new TestClock();
    private final LimiterFactory limiters = new LocalLimiters(
                    EngineLimiterFactory.DEFAULT_MAX_CACHED,
                    new LocalEngine(1000, new ServerTime(clock, clock.micros())),
                    clock)
            .view();

    @Override
    protected LimiterFactory build() {
        return limiters;
    }

    @Override
    protected TestClock clock() {
        return clock;
    }
}
