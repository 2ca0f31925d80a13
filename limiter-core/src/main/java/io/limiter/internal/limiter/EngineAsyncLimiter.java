package io.limiter.internal.limiter;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.Reservation;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.time.Timeouts;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A limiter's methods that return futures.
 *
 * @param <V> the limiter, or its view of a key
 */
class EngineAsyncLimiter<V extends EngineLimiter<?>> implements Limiter.Async {

    final V limiter;

    EngineAsyncLimiter(V limiter) {
        this.limiter = limiter;
    }

    @Override
    public Limiter.Async on(String key) {
        return limiter.on(key).async();
    }

    @Override
    public final CompletableFuture<Decision> decide(long permits) {
        return decide(permits, 0);
    }

    @Override
    public final CompletableFuture<Boolean> tryAcquire(long permits) {
        return decide(permits, 0, Outcome::isGranted);
    }

    @Override
    public final CompletableFuture<Decision> decide(long permits, Duration timeout) {
        return decide(permits, Timeouts.micros(timeout));
    }

    @Override
    public final CompletableFuture<Boolean> tryAcquire(long permits, Duration timeout) {
        return decide(permits, Timeouts.micros(timeout), Outcome::isGranted);
    }

    @Override
    public final CompletableFuture<Long> tryAcquireUpTo(long permits) {
        return limiter.tryAcquireUpToAsync(permits);
    }

    @Override
    public final CompletableFuture<Decision> peek(long permits) {
        return AsyncFailures.map(limiter.part().startPeek(permits).future(), Outcome::toDecision);
    }

    @Override
    public CompletableFuture<Reservation> reserve(long permits) {
        return reserve(permits, 0);
    }

    @Override
    public final CompletableFuture<Decision> refund(long permits) {
        return decideUncounted(Request.refund(permits));
    }

    @Override
    public final CompletableFuture<Decision> charge(long permits) {
        return decideUncounted(Request.charge(permits));
    }

    private CompletableFuture<Decision> decideUncounted(Request request) {
        EffectiveLimit<?> used = limiter.effective();
        return AsyncFailures.map(
                used.failover().start(limiter.path.storedKey(), used.step(), used.leaving(request)),
                decision -> limiter.bound.warned(limiter.path.text(), decision).toDecision());
    }

    @Override
    public final CompletableFuture<Void> reset() {
        return AsyncFailures.outside(limiter.bound.reset(limiter.path));
    }

    final CompletableFuture<Decision> decide(long permits, long timeoutMicros) {
        return decide(permits, timeoutMicros, Outcome::toDecision);
    }

    final <T> CompletableFuture<T> decide(long permits, long timeoutMicros, Function<Outcome, T> result) {
        return limiter.outcomeWithinAsync(permits, timeoutMicros, result);
    }

    final CompletableFuture<Reservation> reserve(long permits, long timeoutMicros) {
        return limiter.reserveWithinAsync(permits, timeoutMicros);
    }

    @Override
    public String toString() {
        return limiter + ".async()";
    }
}
