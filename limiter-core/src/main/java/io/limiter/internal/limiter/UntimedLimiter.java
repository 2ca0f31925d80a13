package io.limiter.internal.limiter;

import io.limiter.algorithm.Limit;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Engine;

/** A {@link io.limiter.Limiter} on an engine, for a limit whose callers never wait. */
public final class UntimedLimiter extends EngineLimiter<Limit<?>> {

    public UntimedLimiter(String name, String prefix, Limit<?> limit, Engine engine) {
        super(name, prefix, limit, engine, Sleeper.UNINTERRUPTIBLE);
    }

    @Override
    protected long timeoutMicros() {
        return 0;
    }
}
