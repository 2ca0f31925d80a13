package io.limiter.internal.limiter;

import io.limiter.CountLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Engine;

/** A {@link CountLimiter} on an engine. */
public abstract class EngineCountLimiter extends EngineLimiter<FixedWindow> implements CountLimiter {

    protected EngineCountLimiter(String name, String prefix, FixedWindow limit, Engine engine) {
        super(name, prefix, limit, engine, Sleeper.UNINTERRUPTIBLE);
    }

    @Override
    public final FixedWindow limit() {
        return super.limit();
    }

    @Override
    protected final long timeoutMicros() {
        return 0;
    }
}
