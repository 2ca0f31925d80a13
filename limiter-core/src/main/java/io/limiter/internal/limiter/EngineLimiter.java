package io.limiter.internal.limiter;

import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Limit;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.key.KeyText;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.step.SetStart;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.time.Timeouts;
import io.limiter.internal.waiting.Waits;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Limiter} on an engine, or a view of one of its keys.
 *
 * @param <L> the kind of limit
 */
public class EngineLimiter<L extends Limit> extends KeyView<BoundLimit<L>> implements Limiter, SetStart<LimitSet> {

    /** With waits that nothing ends but time. */
    public EngineLimiter(KeySpace keys, L limit, Failover engine, Sleeper sleeper) {
        this(keys, limit, engine, new Waits(sleeper));
    }

    /** @param waits of callers for permits */
    public EngineLimiter(KeySpace keys, L limit, Failover engine, Waits waits) {
        this(new BoundLimit<>(keys, limit, engine, waits), KeyPath.own(keys));
    }

    EngineLimiter(BoundLimit<L> bound, KeyPath path) {
        super(bound, path);
    }

    @Override
    public final L limit() {
        return effective().limit();
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
    public final LimitSet toSet(long permits) {
        return EngineLimitSet.of(this, permits);
    }

    @Override
    public final Decision decide(long permits) {
        return decideWithin(permits, 0);
    }

    @Override
    public final boolean tryAcquire(long permits) {
        return tryAcquireWithin(permits, 0);
    }

    @Override
    public final Decision decide(String key) {
        if (needsView()) {
            return on(key).decide();
        }
        // First, because it checks the key.
        String storedKey = bound.keys().of(key);
        return bound.decideAndWait(KeyText.of(key), storedKey, 1, 0).toDecision();
    }

    @Override
    public final boolean tryAcquire(String key) {
        if (needsView()) {
            return on(key).tryAcquire();
        }
        String storedKey = bound.keys().of(key);
        return bound.tryAcquire(KeyText.of(key), storedKey, 1, 0);
    }

    @Override
    public final Decision decide(long permits, Duration timeout) {
        return decideWithin(permits, Timeouts.micros(timeout));
    }

    @Override
    public final boolean tryAcquire(long permits, Duration timeout) {
        return tryAcquireWithin(permits, Timeouts.micros(timeout));
    }

    @Override
    public final Decision peek(long permits) {
        return ban() == null
                ? decideUncounted(Request.peek(permits, 0))
                : alone().peek(permits).parts().get(0).decision();
    }

    @Override
    public final Reservation reserve(long permits) {
        return reserveWithin(permits, 0);
    }

    /** Whether a request of a key needs its view: within that of another key, or for a ban. */
    private boolean needsView() {
        return path.isOfKey() || bound.isBanning();
    }

    private Decision decideWithin(long permits, long timeoutMicros) {
        return outcomeWithin(permits, timeoutMicros).toDecision();
    }

    private boolean tryAcquireWithin(long permits, long timeoutMicros) {
        LimiterBan ban = ban();
        if (ban == null) {
            return bound.tryAcquire(path.text(), path.storedKey(), permits, timeoutMicros);
        }
        // Less than one permit is an error below.
        ImmediateEngine.Known known = permits < 1 ? ImmediateEngine.Known.UNKNOWN : ban.tryAcquire(path);
        return known == ImmediateEngine.Known.UNKNOWN
                ? alone().outcomeAlone(permits, timeoutMicros).isGranted()
                : known.isGranted();
    }

    final Reservation reserveWithin(long permits, long timeoutMicros) {
        return ban() == null
                ? bound.reserve(path.text(), path.storedKey(), permits, timeoutMicros)
                : alone().reserveAlone(permits, timeoutMicros);
    }

    /** As {@link #decide(long, Duration)}, for callers that may cancel what is granted, by {@link #reservationOf}. */
    public final Outcome outcome(long permits, Duration timeout) {
        return outcomeWithin(permits, Timeouts.micros(timeout));
    }

    private Outcome outcomeWithin(long permits, long timeoutMicros) {
        return ban() == null
                ? bound.decideAndWait(path.text(), path.storedKey(), permits, timeoutMicros)
                : alone().outcomeAlone(permits, timeoutMicros);
    }

    /** As {@link #outcome}, without blocking the calling thread. */
    public final <T> CompletableFuture<T> outcomeAsync(long permits, Duration timeout, Function<Outcome, T> result) {
        return outcomeWithinAsync(permits, Timeouts.micros(timeout), result);
    }

    final <T> CompletableFuture<T> outcomeWithinAsync(long permits, long timeoutMicros, Function<Outcome, T> result) {
        return ban() == null
                ? bound.decideAndWaitAsync(path.text(), path.storedKey(), permits, timeoutMicros, result)
                : alone().outcomeAloneAsync(permits, timeoutMicros, result);
    }

    /**
     * The reservation of permits that this limiter has just granted, for callers that need not cancel most of them and so decide as
     * usual.
     */
    public final Reservation reservationOf(Outcome granted, long permits) {
        return bound.reservation(path.text(), path.storedKey(), effective(), permits, granted);
    }

    /** The set of this alone, which has a ban. */
    final EngineLimitSet alone() {
        return EngineLimitSet.of(this, 1);
    }

    @Override
    public final Decision refund(long permits) {
        return decideUncounted(Request.refund(permits));
    }

    @Override
    public final Decision charge(long permits) {
        return decideUncounted(Request.charge(permits));
    }

    private Decision decideUncounted(Request request) {
        EffectiveLimit<L> used = effective();
        return used.failover().decide(path.storedKey(), used.step(), request).toDecision();
    }

    /** What decides about these permits. */
    final EffectiveLimit<L> effective() {
        return bound.effective(path.text());
    }

    /** What bans the key of these permits; {@code null} for none. */
    final @Nullable LimiterBan ban() {
        return bound.ban(path.text());
    }

    @Override
    public final void reset() {
        AsyncFailures.join(bound.reset(path));
    }

    @Override
    String kind() {
        return "Limiter";
    }
}
