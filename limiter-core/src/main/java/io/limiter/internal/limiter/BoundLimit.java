package io.limiter.internal.limiter;

import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Engine;
import io.limiter.spi.EngineObserver;
import io.limiter.spi.Pending;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limit bound to a name and an engine: what a limiter shares with its views, and the one path that every public method
 * takes to its decision.
 *
 * @param <L> the kind of limit
 */
final class BoundLimit<L extends Limit<?>> {

    private static final Logger log = LoggerFactory.getLogger(BoundLimit.class);

    private final KeySpace keys;
    private final Failover engine;
    private final Sleeper sleeper;
    private volatile L limit;
    private LimiterCounters counters;
    private @Nullable SharedRate sharedRate;

    /**
     * @param engine a {@link Failover}, unless failures are the caller's
     */
    BoundLimit(KeySpace keys, L limit, Failover engine, Sleeper sleeper) {
        this.keys = keys;
        this.limit = limit;
        this.engine = engine;
        this.sleeper = sleeper;
        this.counters = LimiterCounters.unseen(keys.prefix(), keys.name());
    }

    /** Where decisions are counted; before others see this limiter. */
    void countIn(LimiterCounters factorys) {
        counters = factorys;
    }

    /** Whose rate it has from now on, if one was set; before others see this limiter. */
    void share(SharedRate factorys) {
        sharedRate = factorys;
    }

    @Nullable
    SharedRate sharedRate() {
        return sharedRate;
    }

    String name() {
        return keys.name();
    }

    L limit() {
        return limit;
    }

    /** From the next decision on. */
    void changeLimit(L newLimit) {
        limit = newLimit;
        counters.limit(newLimit);
    }

    KeySpace keys() {
        return keys;
    }

    Failover engine() {
        return engine;
    }

    LimiterCounters counters() {
        return counters;
    }

    Sleeper sleeper() {
        return sleeper;
    }

    /** Decides what takes no permits, and so is not counted. */
    Decision answer(String backendKey, Request request) {
        return engine.decide(backendKey, limit, request);
    }

    CompletableFuture<Decision> answerAsync(String backendKey, Request request) {
        return engine.start(backendKey, limit, request);
    }

    void reset(String backendKey) {
        engine.reset(backendKey);
    }

    /**
     * Decides in one call, then waits as long as the decision says, holding nothing.
     *
     * @param key the caller's; {@code null} for the limiter's own permits
     */
    Decision decideAndWait(@Nullable String key, String backendKey, int permits, long timeoutMicros) {
        Decision decision = decideNow(key, backendKey, limit, new Request(permits, timeoutMicros, false));
        if (decision.granted() && decision.waitMicros() > 0) {
            Runnable end = counters.mayWait().begins(counters);
            try {
                sleeper.sleep(decision.waitMicros());
            } finally {
                end.run();
            }
        }
        return decision;
    }

    private Decision decideNow(@Nullable String key, String backendKey, L asked, Request request) {
        Decision decision;
        try {
            decision = engine.decide(backendKey, asked, request);
        } catch (LimiterBackendException e) {
            counters.failed();
            throw e;
        }
        counters.decided(name(), key, decision);
        return decision;
    }

    private CompletableFuture<Decision> decideAsync(@Nullable String key, String backendKey, L asked, Request request) {
        CompletableFuture<Decision> decided = engine.start(backendKey, asked, request);
        if (decided.isDone() && !decided.isCompletedExceptionally()) {
            counters.decided(name(), key, decided.join());
            return decided;
        }
        decided.whenComplete((decision, error) -> {
            if (error == null) {
                counters.decided(name(), key, decision);
            } else if (AsyncFailures.cause(error) instanceof LimiterBackendException) {
                counters.failed();
            }
        });
        return decided;
    }

    /** Whether the permits are granted; what is known already makes no decision. */
    boolean tryAcquire(@Nullable String key, String backendKey, int permits, long timeoutMicros) {
        // Less than one permit is an error, which the request says.
        Engine.Known known = permits < 1
                ? Engine.Known.UNKNOWN
                : engine.tryWithoutBackend(backendKey, limit, permits, timeoutMicros);
        if (known == Engine.Known.GRANTED) {
            counters.counted(key, true, Decision.Source.PREFETCH);
            return true;
        }
        if (known == Engine.Known.REJECTED && !counters.isListenedTo()) {
            counters.counted(key, false, Decision.Source.REJECTION_CACHE);
            return false;
        }
        return decideAndWait(key, backendKey, permits, timeoutMicros).granted();
    }

    /** As {@link #decideAndWait}, with no thread that waits. */
    CompletableFuture<Decision> decideAndWaitAsync(
            @Nullable String key, String backendKey, int permits, long timeoutMicros) {
        Request request = new Request(permits, timeoutMicros, false);
        if (timeoutMicros == 0) {
            // Nothing is granted later than now.
            return decideAsync(key, backendKey, limit, request);
        }
        EngineObserver.MayWait mayWait = counters.mayWait();
        L asked = limit;
        return new AwaitedDecision<>(
                decideAsync(key, backendKey, asked, request),
                Function.identity(),
                sleeper,
                decision -> mayWait.begins(counters),
                decision -> giveBackUnused(decision, backendKey, asked, permits));
    }

    /** Takes permits, and leaves the waiting to the caller. */
    Reservation reserve(@Nullable String key, String backendKey, int permits, long timeoutMicros) {
        L asked = limit;
        Decision decision = decideNow(key, backendKey, asked, new Request(permits, timeoutMicros, false));
        return reservation(backendKey, asked, permits, decision);
    }

    /** As {@link #reserve}, without blocking the calling thread. */
    CompletableFuture<Reservation> reserveAsync(
            @Nullable String key, String backendKey, int permits, long timeoutMicros) {
        L asked = limit;
        CompletableFuture<Decision> decided =
                decideAsync(key, backendKey, asked, new Request(permits, timeoutMicros, false));
        CompletableFuture<Reservation> reserved = new CompletableFuture<>();
        reserved.whenComplete((reservation, error) -> {
            if (reserved.isCancelled()) {
                Pending.withdraw(decided);
            }
        });
        decided.whenComplete((decision, error) -> {
            if (error != null) {
                reserved.completeExceptionally(AsyncFailures.cause(error));
            } else if (!reserved.complete(reservation(backendKey, asked, permits, decision)) && decision.granted()) {
                // The caller has no reservation that it could cancel instead.
                giveBackUnused(decision, backendKey, asked, permits);
            }
        });
        return reserved;
    }

    /** Cancelled under the limit that it was granted under: at another rate the same permits are another time. */
    private Reservation reservation(String key, L asked, int permits, Decision decision) {
        return new BookedPermits(
                decision,
                sleeper.ticker(),
                () -> engine.giveBack(decision, key, asked, permits),
                () -> engine.giveBackAsync(decision, key, asked, permits));
    }

    /** Without waiting for it. */
    void giveBackUnused(Decision taken, String key, Limit<?> takenOf, int permits) {
        engine.giveBackAsync(taken, key, takenOf, permits).exceptionally(e -> {
            log.warn("{} permits of '{}' were not used and could not be given back.", permits, key, e);
            return null;
        });
    }
}
