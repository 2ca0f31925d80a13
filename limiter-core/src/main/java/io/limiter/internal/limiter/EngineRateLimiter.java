package io.limiter.internal.limiter;

import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Engine;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A {@link RateLimiter} on an engine. */
public abstract class EngineRateLimiter extends EngineLimiter<TokenBucket> implements RateLimiter {

    private @Nullable SharedRate shared;

    protected EngineRateLimiter(String name, String prefix, TokenBucket limit, Engine engine, Sleeper sleeper) {
        super(name, prefix, limit, engine, sleeper);
    }

    @Override
    public final TokenBucket limit() {
        return super.limit();
    }

    /** Whose rate it has from now on, if one was set; before others see this limiter. */
    final void share(SharedRate factorys) {
        shared = factorys;
        factorys.add(this);
    }

    @Override
    public final void setRate(double permitsPerSecond) {
        // An error here changes nothing, neither here nor elsewhere.
        TokenBucket changed = limit().withRate(permitsPerSecond);
        if (shared == null) {
            changeLimit(changed);
        } else {
            shared.set(permitsPerSecond);
        }
    }

    /** Of this limiter alone. */
    final void changeRate(double permitsPerSecond) {
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
