package io.limiter.engine;

import io.limiter.algorithm.Limit;

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
