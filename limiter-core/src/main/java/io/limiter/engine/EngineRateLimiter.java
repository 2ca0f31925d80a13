package io.limiter.engine;

import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A {@link RateLimiter} on an engine. */
public abstract class EngineRateLimiter extends EngineLimiter<TokenBucket> implements RateLimiter {

    protected EngineRateLimiter(String name, String prefix, TokenBucket limit, Engine engine, Sleeper sleeper) {
        super(name, prefix, limit, engine, sleeper);
    }

    @Override
    public final TokenBucket limit() {
        return super.limit();
    }

    @Override
    public final void setRate(double permitsPerSecond) {
        changeLimit(limit().withRate(permitsPerSecond));
    }

    @Override
    public final Decision decide(int permits, Duration timeout) {
        return decideAndWait(null, ownKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final Decision decide(String key, int permits, Duration timeout) {
        return decideAndWait(key, keyOf(key), permits, Timeouts.micros(timeout));
    }

    @Override
    public final boolean tryAcquire(int permits, Duration timeout) {
        return tryAcquire(null, ownKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final boolean tryAcquire(String key, int permits, Duration timeout) {
        return tryAcquire(key, keyOf(key), permits, Timeouts.micros(timeout));
    }

    @Override
    public final CompletableFuture<Decision> decideAsync(int permits, Duration timeout) {
        return decideAndWaitAsync(null, ownKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final CompletableFuture<Decision> decideAsync(String key, int permits, Duration timeout) {
        return decideAndWaitAsync(key, keyOf(key), permits, Timeouts.micros(timeout));
    }

    @Override
    public final Reservation reserve(int permits, Duration timeout) {
        return reserve(null, ownKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final Reservation reserve(String key, int permits, Duration timeout) {
        return reserve(key, keyOf(key), permits, Timeouts.micros(timeout));
    }

    @Override
    public final CompletableFuture<Reservation> reserveAsync(int permits, Duration timeout) {
        return reserveAsync(null, ownKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final CompletableFuture<Reservation> reserveAsync(String key, int permits, Duration timeout) {
        return reserveAsync(key, keyOf(key), permits, Timeouts.micros(timeout));
    }

    @Override
    protected final long timeoutMicros() {
        return limit().timeoutMicros();
    }
}
