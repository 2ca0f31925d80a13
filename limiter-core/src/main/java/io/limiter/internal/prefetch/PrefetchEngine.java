package io.limiter.internal.prefetch;

import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.InFlightCalls;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Prefetches permits of keys by demand, grants requests from them, and rejects requests when they are used up. Only the views
 * {@link #with} terms prefetch; all views share the prefetched permits, so that a reset by one of them is complete.
 *
 * <p>Permits count as taken from the moment the backend gives them, so all instances together never take more than
 * the limit allows. What instances hold counts as if it were still in the bucket, so both never exceed the capacity, and an
 * instance uses a permit at most the prefetch time after it counts as used. So within any time {@code t}, at most {@code
 * capacity + rate * (t + prefetch time)} permits are used, however many instances there are.
 *
 * <p>See {@link PrefetchedKey} for how much is prefetched, and when, and {@link Request#prefetch} for the share of an instance. A
 * hash table of fixed size with one slot for each key: a hot key whose slot is taken by another hot key is not prefetched.
 */
public final class PrefetchEngine implements ImmediateEngine {

    private static final int SLOTS = 4096;
    private static final int CLOSE_SECONDS = 1;

    /** With fewer permits per prefetch time, and in the bucket, each request is decided by the backend. So it is if the bucket is full sooner. */
    private static final double FEWEST_REFILLED = 10;

    private static final double FEWEST_STORED = 1_000;

    private final ImmediateEngine next;
    private final ExpiryClock clock;
    private final Sleeper sleeper;
    private final InFlightCalls calls;
    private final LogThrottle notReturned;
    private final AtomicReferenceArray<@Nullable PrefetchedKey> keys;
    private final AtomicBoolean closed;
    private final @Nullable Prefetch terms;

    /**
     * @param next decides requests that no prefetched permits are left for
     * @param sleeper sets the timers that return expired blocks
     */
    public PrefetchEngine(ImmediateEngine next, Sleeper sleeper) {
        this(next, sleeper, new ExpiryClock());
    }

    PrefetchEngine(ImmediateEngine next, Sleeper sleeper, ExpiryClock clock) {
        this.next = next;
        this.sleeper = sleeper;
        this.clock = clock;
        this.calls = new InFlightCalls();
        this.notReturned = new LogThrottle(sleeper.ticker());
        this.keys = new AtomicReferenceArray<>(SLOTS);
        this.closed = new AtomicBoolean();
        this.terms = null;
    }

    private PrefetchEngine(PrefetchEngine shared, Prefetch terms) {
        this.next = shared.next;
        this.clock = shared.clock;
        this.sleeper = shared.sleeper;
        this.calls = shared.calls;
        this.notReturned = shared.notReturned;
        this.keys = shared.keys;
        this.closed = shared.closed;
        this.terms = terms;
    }

    /** A view that prefetches permits. Closing one view closes all. */
    public PrefetchEngine with(Prefetch newTerms) {
        return new PrefetchEngine(this, newTerms);
    }

    /** Whether two engines are views of the same prefetched permits, so that one limit set can span both. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PrefetchEngine view && view.keys == keys;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(keys);
    }

    @Override
    public Known tryGrant(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        PrefetchedKey prefetched = find(key, limit);
        if (prefetched == null) {
            return next.tryAcquire(key, limit, permits, timeoutMicros);
        }
        return prefetched.takeFrom(permits) != null ? Known.PREFETCHED : Known.UNKNOWN;
    }

    @Override
    public Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        PrefetchedKey prefetched = find(key, limit);
        if (prefetched != null) {
            if (prefetched.takeFrom(permits) != null) {
                return Known.PREFETCHED;
            }
            if (timeoutMicros == 0 && prefetched.rejects(permits)) {
                return Known.USED_UP;
            }
            if (prefetched.left() > 0) {
                return Known.UNKNOWN;
            }
        }
        return next.tryAcquire(key, limit, permits, timeoutMicros);
    }

    /** Only a view that prefetches has to see every request. */
    @Override
    public ImmediateEngine first() {
        return terms == null ? next : this;
    }

    /** Limit sets are passed on: prefetched permits could not be returned as if they had never been taken. */
    @Override
    public void decide(Ask ask) {
        PrefetchedKey prefetched = ask.size() == 1 ? entryFor(ask.key(), ask.limit(0), ask.request(0)) : null;
        if (prefetched == null) {
            next.decide(ask);
            return;
        }
        Request request = ask.request(0);
        long permits = request.takenOf(prefetched.leftOfOne());
        PrefetchedPermits block = prefetched.takeFrom(permits);
        if (block != null) {
            Outcome granted = block.granted();
            ask.answer(
                    request.takesFewer()
                            ? new Outcome(granted.verdict().withTaken(permits), granted.source())
                            : granted);
            return;
        }
        // Who takes as many as there are wants all of them, but never more than the bucket has.
        long wanted =
                request.takesFewer() ? Math.min(request.permits(), ask.limit(0).capacity()) : request.permits();
        Outcome rejection = request.timeoutMicros() == 0 ? prefetched.rejection(request.least(), wanted) : null;
        if (rejection != null) {
            ask.answer(rejection);
        } else {
            next.decide(ask);
            prefetched.passed(wanted);
        }
    }

    /** Drops prefetched permits without returning them: the reset key is full already. */
    @Override
    public CompletableFuture<Void> reset(String key) {
        forget(key);
        // Again: a concurrent prefetch may have been granted before the backend's reset.
        return next.reset(key).thenRun(() -> forget(key));
    }

    private void forget(String key) {
        int slot = slot(key);
        PrefetchedKey prefetched = keys.get(slot);
        if (prefetched != null && prefetched.isFor(key)) {
            forget(slot, prefetched);
        }
    }

    private void forget(int slot, PrefetchedKey prefetched) {
        if (keys.compareAndSet(slot, prefetched, null)) {
            prefetched.forget();
        }
    }

    /**
     * Drops the permits that were prefetched under a limit, because its limiters have another one from now on. They are
     * not returned either: under another limit as many permits mean something else.
     *
     * @param replaced this object, not one that equals it
     */
    public void drop(LimitStep<?> replaced) {
        for (int slot = 0; terms != null && slot < SLOTS; slot++) {
            PrefetchedKey prefetched = keys.get(slot);
            if (prefetched != null && prefetched.isUnder(replaced)) {
                forget(slot, prefetched);
            }
        }
    }

    /** Returns all unused permits, waiting at most one second, and closes the next engine. */
    @Override
    public void close() {
        closed.set(true);
        for (int i = 0; i < SLOTS; i++) {
            PrefetchedKey prefetched = keys.get(i);
            if (prefetched != null) {
                prefetched.close();
            }
        }
        calls.await(System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS));
        next.close();
    }

    /** The prefetched permits of a key with this limit; {@code null} if there are none. */
    private @Nullable PrefetchedKey find(String key, LimitStep<?> limit) {
        if (terms == null) {
            return null;
        }
        PrefetchedKey prefetched = keys.get(slot(key));
        return prefetched != null && prefetched.isFor(key, limit, terms) ? prefetched : null;
    }

    /** The entry to grant the request from; {@code null} if it is not prefetched. */
    private @Nullable PrefetchedKey entryFor(String key, LimitStep<?> limit, Request request) {
        boolean isTaken = request.action() == Request.Action.TAKE && request.leave() == 0;
        if (terms == null || !isTaken || closed.get() || !isPrefetched(limit)) {
            return null;
        }
        PrefetchedKey prefetched = keys.get(slot(key));
        if (prefetched != null && prefetched.isFor(key, limit, terms)) {
            return prefetched;
        }
        return prefetched == null || prefetched.isIdle() ? replace(prefetched, key, limit, terms) : null;
    }

    private boolean isPrefetched(LimitStep<?> limit) {
        if (terms == null || !(limit instanceof TokenBucket bucket)) {
            return false;
        }
        double refilled = bucket.permitsPerSecond() * terms.time().toNanos() / 1e9;
        return bucket.maxPermits() >= refilled && (refilled >= FEWEST_REFILLED || bucket.maxPermits() >= FEWEST_STORED);
    }

    private @Nullable PrefetchedKey replace(
            @Nullable PrefetchedKey idle, String key, LimitStep<?> limit, Prefetch used) {
        if (idle != null) {
            // A block that is being prefetched is returned as soon as it is granted. First, so that close() waits for
            // that.
            idle.close();
        }
        PrefetchedKey fresh = new PrefetchedKey(key, limit, used, next, clock, sleeper, calls, notReturned);
        if (!keys.compareAndSet(slot(key), idle, fresh)) {
            return null;
        }
        if (closed.get()) {
            fresh.close();
        }
        return fresh;
    }

    private static int slot(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (SLOTS - 1);
    }
}
