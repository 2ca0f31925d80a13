package io.limiter.local;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Engine;

/** A {@link io.limiter.RateLimiter} for this process alone; {@link LocalLimiterFactory} builds it. */
public final class LocalRateLimiter extends EngineRateLimiter {

    LocalRateLimiter(String name, String prefix, TokenBucket limit, Engine engine, Sleeper sleeper) {
        super(name, prefix, limit, engine, sleeper);
    }
}
