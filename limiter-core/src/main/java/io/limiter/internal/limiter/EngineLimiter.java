package io.limiter.internal.limiter;

import io.limiter.LimitPart;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.AsyncFailures;
import io.limiter.spi.Engine;
import io.limiter.spi.EngineObserver;
import io.limiter.spi.Pending;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A limiter on an engine: the one path that every public method takes to its decision.
 *
 * @param <L> the kind of limit
 */
public abstract class EngineLimiter<L extends Limit<?>> implements Limiter {

    private static final Logger log = LoggerFactory.getLogger(EngineLimiter.class);

    private final String name;
    private final KeySpace keys;
    private final Failover engine;
    private final Sleeper sleeper;
    private volatile L limit;
    private LimiterCounters tally;

    /**
     * @param engine a {@link Failover}, unless failures are the caller's
     */
    protected EngineLimiter(String name, String prefix, L limit, Engine engine, Sleeper sleeper) {
        this.name = name;
        this.keys = new KeySpace(prefix, name, limit.keySuffix());
        this.limit = limit;
        this.engine = Failover.none(engine);
        this.sleeper = sleeper;
        this.tally = LimiterCounters.unseen(prefix, name);
    }

    /** Where decisions are counted; before others see this limiter. */
    public final void countIn(LimiterCounters factorys) {
        tally = factorys;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public L limit() {
        return limit;
    }

    /** From the next decision on. */
    protected final void changeLimit(L newLimit) {
        limit = newLimit;
        tally.limit(newLimit);
    }

    /** How long a call that names no timeout waits, in microseconds. */
    protected abstract long timeoutMicros();

    @Override
    public final Decision decide(int permits) {
        return decideAndWait(null, keys.own(), permits, timeoutMicros());
    }

    @Override
    public final Decision decide(String key, int permits) {
        return decideAndWait(key, keys.of(key), permits, timeoutMicros());
    }

    @Override
    public final boolean tryAcquire(int permits) {
        return tryAcquire(null, keys.own(), permits, timeoutMicros());
    }

    @Override
    public final boolean tryAcquire(String key, int permits) {
        return tryAcquire(key, keys.of(key), permits, timeoutMicros());
    }

    @Override
    public final CompletableFuture<Decision> decideAsync(int permits) {
        return decideAndWaitAsync(null, keys.own(), permits, timeoutMicros());
    }

    @Override
    public final CompletableFuture<Decision> decideAsync(String key, int permits) {
        return decideAndWaitAsync(key, keys.of(key), permits, timeoutMicros());
    }

    @Override
    public final Decision refund(int permits) {
        return engine.decide(keys.own(), limit, Request.giveBack(permits));
    }

    @Override
    public final Decision refund(String key, int permits) {
        return engine.decide(keys.of(key), limit, Request.giveBack(permits));
    }

    @Override
    public final CompletableFuture<Decision> refundAsync(int permits) {
        return engine.decideAsync(keys.own(), limit, Request.giveBack(permits));
    }

    @Override
    public final CompletableFuture<Decision> refundAsync(String key, int permits) {
        return engine.decideAsync(keys.of(key), limit, Request.giveBack(permits));
    }

    @Override
    public final Decision charge(int permits) {
        return engine.decide(keys.own(), limit, Request.charge(permits));
    }

    @Override
    public final Decision charge(String key, int permits) {
        return engine.decide(keys.of(key), limit, Request.charge(permits));
    }

    @Override
    public final CompletableFuture<Decision> chargeAsync(int permits) {
        return engine.decideAsync(keys.own(), limit, Request.charge(permits));
    }

    @Override
    public final CompletableFuture<Decision> chargeAsync(String key, int permits) {
        return engine.decideAsync(keys.of(key), limit, Request.charge(permits));
    }

    @Override
    public final CompletableFuture<Decision> peekAsync(int permits) {
        return engine.decideAsync(keys.own(), limit, new Request(permits, timeoutMicros(), true));
    }

    @Override
    public final CompletableFuture<Decision> peekAsync(String key, int permits) {
        return engine.decideAsync(keys.of(key), limit, new Request(permits, timeoutMicros(), true));
    }

    @Override
    public final Decision peek(int permits) {
        return engine.decide(keys.own(), limit, new Request(permits, timeoutMicros(), true));
    }

    @Override
    public final Decision peek(String key, int permits) {
        return engine.decide(keys.of(key), limit, new Request(permits, timeoutMicros(), true));
    }

    @Override
    public final void reset() {
        engine.reset(keys.own());
    }

    @Override
    public final void reset(String key) {
        engine.reset(keys.of(key));
    }

    @Override
    public final LimitPart own() {
        return new EnginePart(this, null, keys.own());
    }

    @Override
    public final LimitPart on(String key) {
        return new EnginePart(this, key, keys.of(key));
    }

    final KeySpace keys() {
        return keys;
    }

    final Failover engine() {
        return engine;
    }

    final LimiterCounters tally() {
        return tally;
    }

    final Sleeper sleeper() {
        return sleeper;
    }

    /** The limiter's own key in the backend. */
    protected final String ownKey() {
        return keys.own();
    }

    /** The backend's key for a caller's key. */
    protected final String keyOf(String key) {
        return keys.of(key);
    }

    /**
     * Decides in one call, then waits as long as the decision says, holding nothing.
     *
     * @param key the caller's; {@code null} for the limiter's own permits
     */
    protected final Decision decideAndWait(@Nullable String key, String backendKey, int permits, long timeoutMicros) {
        Decision decision = decideNow(key, backendKey, limit, new Request(permits, timeoutMicros, false));
        if (decision.granted() && decision.waitMicros() > 0) {
            Runnable end = tally.mayWait().begins(tally);
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
            tally.failed();
            throw e;
        }
        tally.decided(name, key, decision);
        return decision;
    }

    private CompletableFuture<Decision> decideAsync(@Nullable String key, String backendKey, L asked, Request request) {
        CompletableFuture<Decision> decided = engine.decideAsync(backendKey, asked, request);
        if (decided.isDone() && !decided.isCompletedExceptionally()) {
            tally.decided(name, key, decided.join());
            return decided;
        }
        decided.whenComplete((decision, error) -> {
            if (error == null) {
                tally.decided(name, key, decision);
            } else if (AsyncFailures.cause(error) instanceof LimiterBackendException) {
                tally.failed();
            }
        });
        return decided;
    }

    /** Whether the permits are had; what is known already makes no decision. */
    protected final boolean tryAcquire(@Nullable String key, String backendKey, int permits, long timeoutMicros) {
        // Less than one permit is an error, which the request says.
        Engine.Known known = permits < 1
                ? Engine.Known.UNKNOWN
                : engine.tryWithoutBackend(backendKey, limit, permits, timeoutMicros);
        if (known == Engine.Known.GRANTED) {
            tally.counted(key, true, Decision.Source.LEASE);
            return true;
        }
        if (known == Engine.Known.REFUSED && !tally.isListenedTo()) {
            tally.counted(key, false, Decision.Source.DENY_CACHE);
            return false;
        }
        return decideAndWait(key, backendKey, permits, timeoutMicros).granted();
    }

    /** As {@link #decideAndWait}, with no thread that waits. */
    protected final CompletableFuture<Decision> decideAndWaitAsync(
            @Nullable String key, String backendKey, int permits, long timeoutMicros) {
        Request request = new Request(permits, timeoutMicros, false);
        if (timeoutMicros == 0) {
            // Nothing is granted later than now.
            return decideAsync(key, backendKey, limit, request);
        }
        EngineObserver.MayWait mayWait = tally.mayWait();
        L asked = limit;
        return new AwaitedDecision<>(
                decideAsync(key, backendKey, asked, request),
                Function.identity(),
                sleeper,
                decision -> mayWait.begins(tally),
                decision -> giveBackUnused(decision, backendKey, asked, permits));
    }

    /** Books, and leaves the waiting to the caller. */
    protected final Reservation reserve(@Nullable String key, String backendKey, int permits, long timeoutMicros) {
        L asked = limit;
        Decision decision = decideNow(key, backendKey, asked, new Request(permits, timeoutMicros, false));
        return reservation(backendKey, asked, permits, decision);
    }

    /** As {@link #reserve(String, String, int, long)}, without blocking the calling thread. */
    protected final CompletableFuture<Reservation> reserveAsync(
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

    /** Cancelled under the numbers that it was booked under: at another rate the same permits are another time. */
    private Reservation reservation(String key, L asked, int permits, Decision decision) {
        return new BookedPermits(decision, sleeper.ticker(), () -> engine.giveBack(decision, key, asked, permits));
    }

    /** Without waiting for it. */
    final void giveBackUnused(Decision taken, String key, Limit<?> takenOf, int permits) {
        engine.giveBackAsync(taken, key, takenOf, permits).exceptionally(e -> {
            log.warn("{} permits of '{}' were not used and could not be given back.", permits, key, e);
            return null;
        });
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + name + ", " + limit + "]";
    }
}
