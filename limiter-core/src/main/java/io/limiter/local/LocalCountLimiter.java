package io.limiter.local;

import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.limiter.EngineCountLimiter;
import io.limiter.spi.Engine;

/** A {@link io.limiter.CountLimiter} for this process alone; {@link LocalLimiterFactory} builds it. */
public final class LocalCountLimiter extends EngineCountLimiter {

    LocalCountLimiter(String name, String prefix, FixedWindow limit, Engine engine) {
        super(name, prefix, limit, engine);
    }
}
