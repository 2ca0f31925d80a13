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
import io.limiter.internal.waiting.WaitingRoom;
import io.limiter.internal.waiting.Waits;
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

    /** Whether a request may have a ban, or stand behind others that wait; costs a read. */
    boolean isBannedOrWaitedFor() {
        return ban != null || waitingRoom.isWaitedFor();
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
     * Decides, then waits until the permits come due.
     *
     * @param key the caller's keys as text; {@code null} for the limiter's own permits
     */
    Outcome decideAndWait(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        EffectiveLimit<L> used = effective(key);
        Request request = used.take(permits, timeoutMicros);
        Outcome decision = decideNow(key, storedKey, used, request, false);
        await(storedKey, used, permits, decision);
        return decision;
    }

    /** As {@link #decideAndWait}, but allocates no decision if none is needed. */
    boolean tryAcquire(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        EffectiveLimit<L> used = effective(key);
        ImmediateEngine engine = used.failover().immediate();
        // A listener receives the decision of a rejection.
        boolean isListenedTo = counters().isListenedTo();
        Known known = engine == null || permits < 1 || used.leftPermits() > 0
                ? Known.UNKNOWN
                : isListenedTo
                        ? engine.tryGrant(storedKey, used.step(), permits, timeoutMicros)
                        : engine.tryAcquire(storedKey, used.step(), permits, timeoutMicros);
        if (known.isGranted() || known != Known.UNKNOWN && !isListenedTo) {
            counters().counted(key, known.isGranted(), known.source());
            if (known == Known.REJECTED) {
                counters().rejected(used.step(), permits, 0);
            }
            return known.isGranted();
        }
        // Less than one permit is an error here.
        Request request = used.take(permits, timeoutMicros);
        Outcome decision = decideNow(key, storedKey, used, request, known == Known.UNKNOWN && used.leftPermits() == 0);
        await(storedKey, used, permits, decision);
        return decision.isGranted();
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
        counters().decided(name(), key, used.step(), request.permits(), request.leave(), decision);
        return decision;
    }

    /**
     * As {@link #decideAndWait}, without blocking the calling thread.
     *
     * @param result the caller's result
     */
    <T> CompletableFuture<T> decideAndWaitAsync(
            @Nullable String key, String storedKey, long permits, long timeoutMicros, Function<Outcome, T> result) {
        EngineObserver.MayWait mayWait =
                timeoutMicros == 0 ? EngineObserver.MayWait.NONE : counters().mayWait();
        EffectiveLimit<L> used = effective(key);
        return start(
                key,
                storedKey,
                used,
                used.take(permits, timeoutMicros),
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
                        counters().decided(name(), key, used.step(), request.permits(), request.leave(), decision);
                    } else if (error instanceof LimiterBackendException) {
                        counters().failed();
                    }
                },
                waitMicros,
                waits,
                begins,
                result);
    }

    /** Reserves permits; the caller waits until they come due. */
    Reservation reserve(@Nullable String key, String storedKey, long permits, long timeoutMicros) {
        EffectiveLimit<L> used = effective(key);
        Outcome decision = decideNow(key, storedKey, used, used.take(permits, timeoutMicros), false);
        return reservation(key, storedKey, used, permits, decision);
    }

    /** As {@link #reserve}, without blocking the calling thread. */
    CompletableFuture<Reservation> reserveAsync(
            @Nullable String key, String storedKey, long permits, long timeoutMicros) {
        EffectiveLimit<L> used = effective(key);
        return start(
                key,
                storedKey,
                used,
                used.take(permits, timeoutMicros),
                decision -> 0,
                decision -> () -> {},
                decision -> reservation(key, storedKey, used, permits, decision));
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
                },
                difference -> warned(key, difference));
    }

    /** Notifies listeners if a decision that is not counted, as of a charge, warns. */
    Outcome warned(@Nullable String key, Outcome decision) {
        counters().warned(name(), key, effective(key).step().capacity(), decision);
        return decision;
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
}
