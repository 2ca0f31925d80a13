package io.limiter.local;

import io.limiter.algorithm.TokenBucket;
import io.limiter.engine.Engine;
import io.limiter.engine.EngineRateLimiter;
import io.limiter.engine.Sleeper;

/** A {@link io.limiter.RateLimiter} for this process alone; {@link LocalLimiterFactory} builds it. */
public final class LocalRateLimiter extends EngineRateLimiter {

    LocalRateLimiter(String name, String prefix, TokenBucket limit, Engine engine, Sleeper sleeper) {
        super(name, prefix, limit, engine, sleeper);
    }
}
