package io.limiter.internal.limiter;

import io.limiter.Decision;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.time.Timeouts;
import io.limiter.internal.waiting.Waits;
import java.time.Duration;

/** A {@link RateLimiter} on an engine, or a view of one of its keys. */
public class EngineRateLimiter extends EngineLimiter<TokenBucket> implements RateLimiter {

    /** With waits that nothing ends but time. */
    public EngineRateLimiter(KeySpace keys, TokenBucket limit, Failover engine, Sleeper sleeper) {
        super(keys, limit, engine, sleeper);
    }

    /** @param waits of callers for permits */
    public EngineRateLimiter(KeySpace keys, TokenBucket limit, Failover engine, Waits waits) {
        super(keys, limit, engine, waits);
    }

    /** The view of a key. */
    protected EngineRateLimiter(EngineRateLimiter limiter, String key) {
        super(limiter.bound, limiter.path.on(limiter.bound.keys(), key));
    }

    @Override
    public EngineRateLimiter on(String key) {
        return new EngineRateLimiter(this, key);
    }

    @Override
    public final RateLimiter.Async async() {
        return new EngineAsyncRateLimiter(this);
    }

    @Override
    public final void setRate(double permitsPerSecond) {
        // First, so that a rate out of range changes nothing.
        TokenBucket changed = bound.builtLimit().withRate(permitsPerSecond);
        if (!bound.setRate(permitsPerSecond)) {
            bound.change(new EffectiveLimit<>(changed, bound.failover()));
        }
    }

    @Override
    final String kind() {
        return "RateLimiter";
    }

    @Override
    public final Duration acquire(long permits) {
        long startNanos = nowNanos();
        return acquired(decide(permits, limit().maxWait()), startNanos);
    }

    /** @param startNanos {@link #nowNanos} before */
    final Duration acquired(Decision decision, long startNanos) {
        if (!decision.isGranted()) {
            throw exceeded(decision);
        }
        // Who leaves some permits to others has waited before the decision, and not for its permits.
        return effective().reservesAhead() ? decision.timeToWait() : Duration.ofNanos(nowNanos() - startNanos);
    }

    final long nowNanos() {
        return effective().reservesAhead()
                ? 0
                : bound.waits().sleeper().ticker().read();
    }

    @Override
    public final Reservation reserve(long permits, Duration timeout) {
        return reserveWithin(permits, Timeouts.micros(timeout));
    }
}
