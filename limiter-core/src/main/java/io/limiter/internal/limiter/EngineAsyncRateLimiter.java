package io.limiter.internal.limiter;

import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.internal.time.Timeouts;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A rate limiter's methods that return futures. */
final class EngineAsyncRateLimiter extends EngineAsyncLimiter<EngineRateLimiter> implements RateLimiter.Async {

    EngineAsyncRateLimiter(EngineRateLimiter limiter) {
        super(limiter);
    }

    @Override
    public RateLimiter.Async on(String key) {
        return limiter.on(key).async();
    }

    @Override
    public CompletableFuture<Duration> acquire(long permits) {
        long startNanos = limiter.nowNanos();
        return decide(
                permits,
                limiter.limit().maxWaitMicros(),
                outcome -> limiter.acquired(outcome.toDecision(), startNanos));
    }

    @Override
    public CompletableFuture<Reservation> reserve(long permits, Duration timeout) {
        return reserve(permits, Timeouts.micros(timeout));
    }
}
