package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.override.InEffect;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.time.Timeouts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Limiter} on an engine, or a view of one of its keys.
 *
 * @param <L> the kind of limit
 */
public class EngineLimiter<L extends Limit<?>> extends KeyView<BoundLimit<L>> implements Limiter {

    /**
     * @param sleeper has callers wait for permits: those of a rate limiter, or of a set
     */
    public EngineLimiter(KeySpace keys, L limit, Failover engine, Sleeper sleeper) {
        this(new BoundLimit<>(keys, limit, engine, sleeper), KeyPath.own(keys));
    }

    EngineLimiter(BoundLimit<L> bound, KeyPath path) {
        super(bound, path);
    }

    /** Adds a ban of its keys. To be called before any other thread sees this limiter. */
    public final void banBy(Ban ban) {
        bound.banBy(ban);
    }

    @Override
    public final L limit() {
        return inEffect().limit();
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
        return path.isOfKey()
                ? on(key).decide(permits)
                : bound.decideAndWait(key, bound.keys().of(key), permits, 0);
    }

    @Override
    public final boolean tryAcquire(String key, int permits) {
        return path.isOfKey()
                ? on(key).tryAcquire(permits)
                : bound.tryAcquire(key, bound.keys().of(key), permits, 0);
    }

    @Override
    public final Decision decide(int permits, Duration timeout) {
        return bound.decideAndWait(path.countedKey(), path.backendKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final boolean tryAcquire(int permits, Duration timeout) {
        return bound.tryAcquire(path.countedKey(), path.backendKey(), permits, Timeouts.micros(timeout));
    }

    @Override
    public final boolean tryAcquire(String key, int permits, Duration timeout) {
        return path.isOfKey()
                ? on(key).tryAcquire(permits, timeout)
                : bound.tryAcquire(key, bound.keys().of(key), permits, Timeouts.micros(timeout));
    }

    @Override
    public final Decision peek(int permits) {
        return ban() == null
                ? decideUncounted(Request.peek(permits, 0))
                : toSet(1).peek(permits).parts().get(0).decision();
    }

    @Override
    public Reservation reserve(int permits) {
        return bound.reserve(path.countedKey(), path.backendKey(), permits, 0);
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
        InEffect<L> used = inEffect();
        return used.engine().decide(path.backendKey(), used.limit(), request);
    }

    /** What decides about these permits. */
    final InEffect<L> inEffect() {
        return bound.inEffect(path.countedKey());
    }

    /** What bans the key of these permits; {@code null} for none. */
    final @Nullable LimiterBan ban() {
        return bound.ban(path.countedKey());
    }

    @Override
    public final void reset() {
        AsyncFailures.join(bound.reset(path.countedKey(), path.backendKey()));
    }

    @Override
    String kind() {
        return "Limiter";
    }
}
