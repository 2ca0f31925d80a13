package io.limiter.internal.limiter;

import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.Reservation;
import io.limiter.algorithm.Limit;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.step.SetStart;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.time.Timeouts;
import io.limiter.internal.waiting.Waits;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.List;
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
        KeySpace.BuiltKey built = bound.keys().built(key);
        return bound.decideAndWait(built.text(), built.storedKey(), 1, 0).toDecision();
    }

    @Override
    public final boolean tryAcquire(String key) {
        if (needsView()) {
            return on(key).tryAcquire();
        }
        KeySpace.BuiltKey built = bound.keys().built(key);
        return bound.tryAcquire(built.text(), built.storedKey(), 1, 0);
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
    public final long tryAcquireUpTo(long permits) {
        SetRequest request = upTo(permits);
        return request.takenOfOne(request.decideNow());
    }

    final CompletableFuture<Long> tryAcquireUpToAsync(long permits) {
        SetRequest request = upTo(permits);
        return request.future(request::takenOfOne);
    }

    private SetRequest upTo(long permits) {
        LimitStep<?> step = effective().step();
        if (!step.takesFewer()) {
            throw new UnsupportedOperationException("'" + name() + "' takes all permits or none, because its "
                    + step.getClass().getSimpleName()
                    + " does: let its step decide requests that take fewer, and say so by takesFewer()");
        }
        return new SetRequest(List.of(new SetPart(this, 1, true)), false, permits, 0);
    }

    @Override
    public final Decision peek(long permits) {
        return part().startPeek(permits).await().toDecision();
    }

    @Override
    public final Reservation reserve(long permits) {
        return reserveWithin(permits, 0);
    }

    /** Whether a request of a key needs its view: within that of another key, for a ban, or because others may wait for it. */
    private boolean needsView() {
        return path.isOfKey() || bound.isBannedOrWaitedFor();
    }

    /** Whether a request is one of a set: with a ban, or because it may be decided again, or stands behind others that are. */
    private boolean isOfSet(long permits, long timeoutMicros) {
        return ban() != null
                || (timeoutMicros > 0
                        ? !effective().reservesAhead()
                        : bound.waitingRoom().isWaitedFor()
                                && bound.waitingRoom().isWaitedFor(part().queueKey(permits)));
    }

    /** The only part of a set of one. */
    final SetPart part() {
        return new SetPart(this, 1);
    }

    private SetRequest ofSet(boolean waits, long permits, long timeoutMicros) {
        return new SetRequest(List.of(part()), waits, permits, timeoutMicros);
    }

    private Decision decideWithin(long permits, long timeoutMicros) {
        return outcomeWithin(permits, timeoutMicros).toDecision();
    }

    private boolean tryAcquireWithin(long permits, long timeoutMicros) {
        LimiterBan ban = ban();
        // Less than one permit is an error below.
        Known known = ban == null || permits < 1 ? Known.UNKNOWN : ban.tryAcquire(path);
        if (known != Known.UNKNOWN) {
            return known.isGranted();
        }
        return isOfSet(permits, timeoutMicros)
                ? ofSet(true, permits, timeoutMicros).decideAndWait().isGranted()
                : bound.tryAcquire(path.text(), path.storedKey(), permits, timeoutMicros);
    }

    final Reservation reserveWithin(long permits, long timeoutMicros) {
        if (!isOfSet(permits, timeoutMicros)) {
            return bound.reserve(path.text(), path.storedKey(), permits, timeoutMicros);
        }
        SetRequest request = ofSet(false, permits, timeoutMicros);
        return request.reservationOfOne(request.decideNow());
    }

    final CompletableFuture<Reservation> reserveWithinAsync(long permits, long timeoutMicros) {
        if (!isOfSet(permits, timeoutMicros)) {
            return bound.reserveAsync(path.text(), path.storedKey(), permits, timeoutMicros);
        }
        SetRequest request = ofSet(false, permits, timeoutMicros);
        return request.future(request::reservationOfOne);
    }

    /** As {@link #decide(long, Duration)}, for callers that may cancel what is granted, by {@link #reservationOf}. */
    public final Outcome outcome(long permits, Duration timeout) {
        return outcomeWithin(permits, Timeouts.micros(timeout));
    }

    private Outcome outcomeWithin(long permits, long timeoutMicros) {
        return isOfSet(permits, timeoutMicros)
                ? ofSet(true, permits, timeoutMicros).decideAndWait()
                : bound.decideAndWait(path.text(), path.storedKey(), permits, timeoutMicros);
    }

    /** As {@link #outcome}, without blocking the calling thread. */
    public final <T> CompletableFuture<T> outcomeAsync(long permits, Duration timeout, Function<Outcome, T> result) {
        return outcomeWithinAsync(permits, Timeouts.micros(timeout), result);
    }

    final <T> CompletableFuture<T> outcomeWithinAsync(long permits, long timeoutMicros, Function<Outcome, T> result) {
        return isOfSet(permits, timeoutMicros)
                ? ofSet(true, permits, timeoutMicros).future(result)
                : bound.decideAndWaitAsync(path.text(), path.storedKey(), permits, timeoutMicros, result);
    }

    /**
     * The reservation of permits that this limiter has just granted, for callers that need not cancel most of them and so decide as
     * usual.
     */
    public final Reservation reservationOf(Outcome granted, long permits) {
        return bound.reservation(path.text(), path.storedKey(), effective(), permits, granted);
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
        Outcome decision = used.failover().decide(path.storedKey(), used.step(), used.leaving(request));
        return bound.warned(path.text(), decision).toDecision();
    }

    /** Whether a request with a timeout reserves permits; otherwise it waits by being decided again. */
    public final boolean reservesAhead() {
        return effective().reservesAhead();
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
