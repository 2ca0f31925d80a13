package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.live.override.Overrides;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.Sleeper;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link Limiter} on an engine, or a view of one of its keys.
 *
 * @param <L> the kind of limit
 */
public class EngineLimiter<L extends Limit<?>> implements Limiter {

    final BoundLimit<L> bound;
    final KeyPath path;

    /** A limiter whose callers never wait for permits. */
    public EngineLimiter(KeySpace keys, L limit, Failover engine) {
        this(keys, limit, engine, Sleeper.UNINTERRUPTIBLE);
    }

    EngineLimiter(KeySpace keys, L limit, Failover engine, Sleeper sleeper) {
        this(new BoundLimit<>(keys, limit, engine, sleeper), KeyPath.own(keys));
    }

    EngineLimiter(BoundLimit<L> bound, KeyPath path) {
        this.bound = bound;
        this.path = path;
    }

    /** Sets the counters of its decisions. To be called before any other thread sees this limiter. */
    public final void countIn(LimiterCounters counters) {
        bound.countIn(counters);
    }

    /** To be called when it is built again, which makes no new one. */
    final void rebuilt() {
        bound.rebuilt();
    }

    /** Sets what may change it. To be called before any other thread sees this limiter. */
    final void overriddenBy(Overrides overrides, boolean live) {
        bound.overriddenBy(overrides, live);
    }

    @Override
    public final String name() {
        return bound.name();
    }

    @Override
    public final Optional<String> key() {
        return Optional.ofNullable(path.key());
    }

    @Override
    public L limit() {
        return bound.limit();
    }

    @Override
    public EngineLimiter<L> on(String key) {
        return new EngineLimiter<>(bound, path.on(bound.keys(), key));
    }

    @Override
    public Limiter.Async async() {
        return new EngineAsyncLimiter<>(this);
    }

    @Override
    public final LimitSet toSet(int permits) {
        return EngineLimitSet.of(this, permits);
    }

    @Override
    public final Decision decide(int permits) {
        return bound.decideAndWait(path.countedKey(), path.backendKey(), permits, 0);
    }

    @Override
    public final boolean tryAcquire(int permits) {
        return bound.tryAcquire(path.countedKey(), path.backendKey(), permits, 0);
    }

    @Override
    public final Decision decide(String key, int permits) {
        return isView()
                ? on(key).decide(permits)
                : bound.decideAndWait(key, bound.keys().of(key), permits, 0);
    }

    @Override
    public final boolean tryAcquire(String key, int permits) {
        return isView()
                ? on(key).tryAcquire(permits)
                : bound.tryAcquire(key, bound.keys().of(key), permits, 0);
    }

    @Override
    public final Decision peek(int permits) {
        return decideUncounted(Request.peek(permits, 0));
    }

    @Override
    public final Decision refund(int permits) {
        return decideUncounted(Request.refund(permits));
    }

    @Override
    public final Decision charge(int permits) {
        return decideUncounted(Request.charge(permits));
    }

    private Decision decideUncounted(Request request) {
        return bound.decideUncounted(path.backendKey(), request);
    }

    final CompletableFuture<Decision> decideUncountedAsync(Request request) {
        return bound.decideUncountedAsync(path.backendKey(), request);
    }

    @Override
    public final void reset() {
        AsyncFailures.join(bound.reset(path.backendKey()));
    }

    String kind() {
        return "Limiter";
    }

    /** Whether it is a view of a key, so that further keys are added to it. */
    final boolean isView() {
        return path.key() != null;
    }

    @Override
    public String toString() {
        return kind() + "[" + name() + (isView() ? ":" + path.key() : "") + ", " + limit() + "]";
    }
}
