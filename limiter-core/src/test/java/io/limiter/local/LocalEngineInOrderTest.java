package io.limiter.local;

import io.limiter.spi.Engine;
import io.limiter.spi.InOrderContract;
import io.limiter.testing.TestClock;

class LocalEngineInOrderTest extends InOrderContract {

    private final TestClock clock = new TestClock();
    private final Engine engine = new LocalEngine(1000, clock, clock.micros());

    @Override
    protected Engine engine() {
        return engine;
    }

    @Override
    protected TestClock clock() {
        return clock;
    }

    @Override
    protected String key(String name) {
        return name;
    }
}
