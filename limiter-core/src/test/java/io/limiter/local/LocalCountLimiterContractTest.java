package io.limiter.local;

import io.limiter.CountLimiterContract;
import io.limiter.LimiterFactory;
import io.limiter.engine.CacheBounds;
import io.limiter.testing.TestClock;

class LocalCountLimiterContractTest extends CountLimiterContract {

    private final TestClock clock = new TestClock();
    private final LimiterFactory limiters =
            new LocalLimiterFactory(CacheBounds.DEFAULT, new LocalEngine(1000, clock), clock);

    @Override
    protected LimiterFactory limiters() {
        return limiters;
    }

    @Override
    protected TestClock clock() {
        return clock;
    }
}
