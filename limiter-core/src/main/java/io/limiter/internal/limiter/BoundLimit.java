package io.limiter.internal.limiter;

import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.Limit;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.ImmediateEngine.Known;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.named.ChangeableLimit;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.waiting.CallerFuture;
import io.limiter.internal.waiting.WaitingRequest;
import io.limiter.internal.waiting.WaitingRoom;
import io.limiter.internal.waiting.Waits;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A limit bound to a name and an engine: what a limiter shares with its views, and the one path that every public method
 * takes to its decision.
 *
 * @param <L> the kind of limit
 */
final class BoundLimit<L extends Limit> extends ChangeableLimit<L> {

    /** All bans of a key have one state. */
    private static final Ban ANY_BAN = Ban.after(1);

    private final KeySpace keys;
    private final Waits waits;
    private final WaitingRoom waitingRoom;
    private @Nullable LimiterBan ban;
    private @Nullable KnownBans bans;

    BoundLimit(KeySpace keys, L limit, Failover engine, Waits waits) {
        super(keys.prefix(), keys.name(), limit, engine);
        this.keys = keys;
        this.waits = waits;
        this.waitingRoom = new WaitingRoom(waits);
    }

    @Override
    public void setBan(@Nullable Ban newBan, KnownBans ofLimit) {
        bans = ofLimit;
        if (newBan != null) {
            ban = new LimiterBan(newBan, this, ofLimit);
        }
    }

    boolean isBanning() {
        return ban != null;
    }

    /** The stored key of a ban of permits. */
    String keyOf(Ban ofKey, String storedKey) {
        int suffix = builtLimit().asStep().keySuffix().length();
        return storedKey.substring(0, storedKey.length() - suffix) + ofKey.keySuffix();
    }

    /** What bans a key; {@code null} for none, as for the limiter's own permits, which are those of all callers. */
    @Nullable
    LimiterBan ban(@Nullable String key) {
        return key == null ? null : ban;
    }

    KeySpace keys() {
        return keys;
    }

    Waits waits() {
        return waits;
    }

    /**
     * Decides, then waits until the permits come due. A limit that does not reserve decides again after each rejection, as long
     * as its retry-after lies within the timeout.
     *
     * @param key the caller's keys as text; {@code null} for the limiter's own permits
     */
    Outcome decideAndWait(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        if (mayWaitAgain(key, storedKey, permits, timeoutMicros)) {
            return new WaitingDecision(key, storedKey, permits, timeoutMicros).decideNow();
        }
        Request request = Request.take(permits, timeoutMicros);
        EffectiveLimit<L> used = effective(key);
        Outcome decision = decideNow(key, storedKey, used, request, false);
        await(storedKey, used, permits, decision);
        return decision;
    }

    /** As {@link #decideAndWait}, but allocates no decision if none is needed. */
    boolean tryAcquire(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        if (mayWaitAgain(key, storedKey, permits, timeoutMicros)) {
            return decideAndWait(key, storedKey, permits, timeoutMicros).isGranted();
        }
        EffectiveLimit<L> used = effective(key);
        ImmediateEngine engine = used.failover().immediate();
        // A listener receives the decision of a rejection.
        boolean isListenedTo = counters().isListenedTo();
        Known known = engine == null || permits < 1
                ? Known.UNKNOWN
                : isListenedTo
                        ? engine.tryGrant(storedKey, used.step(), permits, timeoutMicros)
                        : engine.tryAcquire(storedKey, used.step(), permits, timeoutMicros);
        if (known.isGranted() || known != Known.UNKNOWN && !isListenedTo) {
            counters().counted(key, known.isGranted(), known.source());
            if (known == Known.REJECTED) {
                counters().rejected(used.step(), permits);
            }
            return known.isGranted();
        }
        // Less than one permit is an error here.
        Request request = Request.take(permits, timeoutMicros);
        Outcome decision = decideNow(key, storedKey, used, request, known == Known.UNKNOWN);
        await(storedKey, used, permits, decision);
        return decision.isGranted();
    }

    /** Whether a request may be decided again, or stands behind others that are. */
    private boolean mayWaitAgain(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        return timeoutMicros > 0 ? !effective().step().reservesAhead() : isWaitedFor(key, storedKey, permits);
    }

    /** Whether others wait for as many permits of a key. */
    private boolean isWaitedFor(@Nullable String key, String storedKey, long permits) {
        return waitingRoom.isWaitedFor() && waitingRoom.isWaitedFor(queueKey(key, storedKey, permits));
    }

    private QueueKey queueKey(@Nullable String key, String storedKey, long permits) {
        return new QueueKey(storedKey, permits, effective(key).step());
    }

    private void await(String storedKey, EffectiveLimit<L> used, long permits, Outcome decision) {
        if (decision.isGranted() && decision.waitMicros() > 0) {
            await(
                    storedKey,
                    decision.waitMicros(),
                    () -> used.failover().cancel(decision, storedKey, used.step(), permits, permits));
        }
    }

    /**
     * Waits until permits come due, without holding a lock or a connection.
     *
     * @param waitMicros more than 0
     * @param giveUp returns the permits
     * @throws LimiterBackendException if the limiters are closed before; then the permits are returned
     */
    void await(String storedKey, long waitMicros, Supplier<CompletableFuture<?>> giveUp) {
        Runnable end = counters().waitBegins(counters().mayWait());
        boolean isDue;
        try {
            isDue = waits.sleep(waitMicros, giveUp);
        } finally {
            end.run();
        }
        if (!isDue) {
            counters().failed();
            throw BackendFailures.closed(storedKey);
        }
    }

    /**
     * @param unknown whether {@link Failover#immediate} did not know it a moment ago
     */
    private Outcome decideNow(
            @Nullable String key, String storedKey, EffectiveLimit<L> used, Request request, boolean unknown) {
        Outcome decision;
        try {
            decision = used.failover().decide(storedKey, used.step(), request, unknown);
        } catch (LimiterBackendException e) {
            counters().failed();
            throw e;
        }
        counters().decided(name(), key, used.step(), request.permits(), decision);
        return decision;
    }

    /**
     * As {@link #decideAndWait}, without blocking the calling thread.
     *
     * @param result the caller's result
     */
    <T> CompletableFuture<T> decideAndWaitAsync(
            @Nullable String key, String storedKey, long permits, long timeoutMicros, Function<Outcome, T> result) {
        if (mayWaitAgain(key, storedKey, permits, timeoutMicros)) {
            return decideAgain(new WaitingDecision(key, storedKey, permits, timeoutMicros), result);
        }
        EngineObserver.MayWait mayWait =
                timeoutMicros == 0 ? EngineObserver.MayWait.NONE : counters().mayWait();
        return start(
                key,
                storedKey,
                effective(key),
                Request.take(permits, timeoutMicros),
                decision -> decision.isGranted() ? decision.waitMicros() : 0,
                decision -> counters().waitBegins(mayWait),
                result);
    }

    private <T> CompletableFuture<T> start(
            @Nullable String key,
            String storedKey,
            EffectiveLimit<L> used,
            Request request,
            ToLongFunction<Outcome> waitMicros,
            Function<Outcome, Runnable> begins,
            Function<Outcome, T> result) {
        Ask ask = used.failover().start(storedKey, used.step(), request);
        return new CallerFuture<>(
                storedKey,
                ask::giveUp,
                ask,
                (decision, error) -> {
                    if (decision != null) {
                        counters().decided(name(), key, used.step(), request.permits(), decision);
                    } else if (error instanceof LimiterBackendException) {
                        counters().failed();
                    }
                },
                waitMicros,
                waits,
                begins,
                result);
    }

    /** The future of a caller whose request may wait behind others, and counts itself. */
    private <T> CompletableFuture<T> decideAgain(WaitingDecision waiting, Function<Outcome, T> result) {
        waiting.start();
        return new CallerFuture<>(
                waiting.key(),
                waiting::giveUp,
                waiting,
                (decision, error) -> {},
                decision -> 0,
                waits,
                decision -> () -> {},
                result);
    }

    /** Reserves permits; the caller waits until they come due. */
    Reservation reserve(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        EffectiveLimit<L> used = effective(key);
        Outcome decision = isWaitedFor(key, storedKey, permits)
                ? new WaitingDecision(key, storedKey, permits, 0).decideNow()
                : decideNow(key, storedKey, used, Request.take(permits, timeoutMicros), false);
        return reservation(key, storedKey, used, permits, decision);
    }

    /** As {@link #reserve}, without blocking the calling thread. */
    CompletableFuture<Reservation> reserveAsync(
            @Nullable String key, String storedKey, long permits, long timeoutMicros) {
        EffectiveLimit<L> used = effective(key);
        Function<Outcome, Reservation> result = decision -> reservation(key, storedKey, used, permits, decision);
        if (isWaitedFor(key, storedKey, permits)) {
            return decideAgain(new WaitingDecision(key, storedKey, permits, 0), result);
        }
        return start(
                key,
                storedKey,
                used,
                Request.take(permits, timeoutMicros),
                decision -> 0,
                decision -> () -> {},
                result);
    }

    /**
     * Cancels under the limit that granted the permits: at another rate the same permits take another time. A charge is as any
     * other.
     */
    Reservation reservation(
            @Nullable String key, String storedKey, EffectiveLimit<?> used, long permits, Outcome decision) {
        return new EngineReservation(
                decision,
                permits,
                waits.sleeper().ticker(),
                fewer -> used.failover().cancel(decision, storedKey, used.step(), fewer, permits),
                more -> {
                    EffectiveLimit<L> now = effective(key);
                    return now.failover().start(storedKey, now.step(), Request.charge(more));
                });
    }

    /** Deletes the state of permits, and ends the ban of their key, also one that only another limiter of the limit has. */
    CompletableFuture<Void> reset(KeyPath path) {
        CompletableFuture<Void> done = failover().reset(path.storedKey());
        KnownBans ofLimit = bans;
        if (ofLimit == null || !path.isOfKey()) {
            return done;
        }
        String ofBan = keyOf(ANY_BAN, path.storedKey());
        return CompletableFuture.allOf(done, failover().reset(ofBan).thenRun(() -> ofLimit.reset(ofBan)));
    }

    WaitingRoom waitingRoom() {
        return waitingRoom;
    }

    /** Requests for as many permits of one key under one limit. */
    record QueueKey(String storedKey, long permits, LimitStep<?> limit) {}

    private final class WaitingDecision extends WaitingRequest {

        private final @Nullable String key;
        private final String storedKey;
        private final long permits;
        private final long timeoutMicros;
        private final EngineObserver.MayWait mayWait;

        WaitingDecision(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
            super(waitingRoom, timeoutMicros);
            this.key = key;
            this.storedKey = storedKey;
            this.permits = permits;
            this.timeoutMicros = timeoutMicros;
            this.mayWait = mayWait() ? counters().mayWait() : EngineObserver.MayWait.NONE;
        }

        @Override
        protected Outcome decideFirst() {
            EffectiveLimit<L> used = effective(key);
            return used.failover().decide(storedKey, used.step(), Request.take(permits, 0));
        }

        @Override
        protected Started startDecision() {
            EffectiveLimit<L> used = effective(key);
            Ask ask = used.failover().start(storedKey, used.step(), Request.take(permits, 0));
            return new Started(ask, ask);
        }

        @Override
        protected long retryMicros(Outcome rejection) {
            return retryMicros(effective().step(), rejection, timeoutMicros);
        }

        @Override
        protected long moreAfter(Outcome grant) {
            return grant.remaining() / permits;
        }

        @Override
        protected Object queueKey() {
            return BoundLimit.this.queueKey(key, storedKey, permits);
        }

        @Override
        protected String key() {
            return storedKey;
        }

        @Override
        protected boolean mayJoin() {
            return effective(key).exemptOrBanned(Request.take(permits, 0)) == null;
        }

        @Override
        protected boolean mayWait() {
            return timeoutMicros > 0;
        }

        @Override
        protected Runnable waitBegins(Outcome rejection) {
            return counters().waitBegins(mayWait);
        }

        @Override
        protected void count(Outcome decision) {
            counters().decided(name(), key, effective(key).step(), permits, decision);
        }

        @Override
        protected void countFailure() {
            counters().failed();
        }
    }
}
