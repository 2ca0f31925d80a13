package io.limiter.local;

import io.limiter.ConcurrencyLimiter;
import io.limiter.CountLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.engine.CacheBounds;
import io.limiter.engine.EngineConcurrencyLimiter;
import io.limiter.engine.EngineLimiterFactory;
import io.limiter.engine.HeldLeases;
import io.limiter.engine.Sleeper;
import io.limiter.engine.UntimedLimiter;

/** Builds limiters for this process alone. Limiters of two factories share nothing, even if they share a name. */
public final class LocalLimiterFactory extends EngineLimiterFactory implements AutoCloseable {

    private final LocalEngine engine;
    private final Sleeper sleeper;
    private final HeldLeases leases;

    public LocalLimiterFactory() {
        this(CacheBounds.DEFAULT, LocalEngine.DEFAULT_MAX_KEYS);
    }

    /**
     * @param maxKeys how many keys are held at most, at least 1; see {@link LocalEngine}
     */
    public LocalLimiterFactory(CacheBounds cacheBounds, int maxKeys) {
        this(cacheBounds, new LocalEngine(maxKeys), Sleeper.UNINTERRUPTIBLE);
    }

    LocalLimiterFactory(CacheBounds cacheBounds, LocalEngine engine, Sleeper sleeper) {
        super(cacheBounds);
        this.engine = engine;
        this.sleeper = sleeper;
        this.leases = new HeldLeases(engine, sleeper);
    }

    /**
     * Gives back all permits that are held under leases, fails those who wait for some with
     * {@link io.limiter.LimiterBackendException}, and grants no more leases. Other limiters go on.
     */
    @Override
    public void close() {
        leases.close();
    }

    @Override
    protected RateLimiter newRateLimiter(String name, String prefix, TokenBucket limit, FailurePolicy policy) {
        return new LocalRateLimiter(name, prefix, limit, engine, sleeper);
    }

    @Override
    protected CountLimiter newCountLimiter(String name, String prefix, FixedWindow limit, FailurePolicy policy) {
        return new LocalCountLimiter(name, prefix, limit, engine);
    }

    @Override
    protected Limiter newLimiter(String name, String prefix, Limit<?> limit, FailurePolicy policy) {
        return new UntimedLimiter(name, prefix, limit, engine);
    }

    @Override
    protected ConcurrencyLimiter newConcurrencyLimiter(
            String name, String prefix, ConcurrencyLimit limit, FailurePolicy policy) {
        return new EngineConcurrencyLimiter(name, prefix, limit, engine, leases);
    }
}
