package io.limiter.internal.prefetch;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.PrefetchTerms;
import io.limiter.algorithm.Request;
import io.limiter.internal.lease.HeldLeases;
import io.limiter.internal.time.LeaseClock;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.SetPart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Takes permits of hot keys ahead, in blocks, and gives them out without asking the backend: for limits that allow it
 * ({@link Limit#lease()}), and for no others.
 *
 * <p>A block counts as taken from the moment the backend grants it, so the fleet never takes more than the limit allows.
 * What blurs is <em>when</em>: a permit may be used up to {@code maxTime} later than it was taken. Over any time
 * {@code d}, at most {@code max + rate * d + instances * block} permits are used, where {@code block} is the lease's
 * {@code maxPermits}.
 *
 * <p>What is leased here is a block of permits that will be <em>spent</em>, by an instance; the leases of
 * {@link HeldLeases} are places that are <em>held</em>, each by one caller, and come back.
 *
 * <p>See {@link PrefetchedKey} for how much is taken ahead, and when. A table of fixed size, in which each key has one place:
 * a key whose place another hot key holds is simply asked for.
 */
public final class Prefetch implements Engine {

    private static final int PLACES = 4096;
    private static final int CLOSE_SECONDS = 1;

    private final Engine engine;
    private final LeaseClock clock;
    private final Sleeper sleeper;
    private final AtomicReferenceArray<@Nullable PrefetchedKey> keys = new AtomicReferenceArray<>(PLACES);
    private volatile boolean closed;

    /**
     * @param engine decides what is not leased
     * @param sleeper tells when blocks run out that nobody asks for
     */
    public Prefetch(Engine engine, Sleeper sleeper) {
        this(engine, sleeper, new LeaseClock());
    }

    Prefetch(Engine engine, Sleeper sleeper, LeaseClock clock) {
        this.engine = engine;
        this.sleeper = sleeper;
        this.clock = clock;
    }

    @Override
    public Known tryWithoutBackend(String key, Limit<?> limit, int permits, long timeoutMicros) {
        PrefetchedKey leased = find(key, limit);
        if (leased != null) {
            if (leased.takeFrom(permits) != null) {
                return Known.GRANTED;
            }
            if (leased.left() > 0) {
                return Known.UNKNOWN;
            }
        }
        return engine.tryWithoutBackend(key, limit, permits, timeoutMicros);
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        PrefetchedKey leased = leasedKey(key, limit, request);
        if (leased == null) {
            return engine.decide(key, limit, request);
        }
        PrefetchedBlock block = leased.takeFrom(request.permits());
        if (block != null) {
            return block.granted();
        }
        Decision decision = engine.decide(key, limit, request);
        leased.asked(decision);
        return decision;
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        PrefetchedKey leased = leasedKey(key, limit, request);
        if (leased == null) {
            return engine.decideAsync(key, limit, request);
        }
        PrefetchedBlock block = leased.takeFrom(request.permits());
        if (block != null) {
            return CompletableFuture.completedFuture(block.granted());
        }
        CompletableFuture<Decision> asked = engine.decideAsync(key, limit, request);
        asked.thenAccept(leased::asked);
        return asked;
    }

    /** As the other engine does, without leases. */
    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        return engine.decide(batch);
    }

    /** As the other engine does, without leases: what is leased here could not be given back as if never taken. */
    @Override
    public List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        return engine.decideTogether(parts);
    }

    /** As {@link #decideTogether}. */
    @Override
    public CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        return engine.decideTogetherAsync(parts);
    }

    /** What was taken ahead is forgotten too: given back, it would be on top of what a key has that was never used. */
    @Override
    public void reset(String key) {
        forget(key);
        engine.reset(key);
        // Once more: what was taken ahead meanwhile may have been taken before.
        forget(key);
    }

    private void forget(String key) {
        PrefetchedKey leased = keys.get(place(key));
        if (leased != null && leased.isFor(key) && keys.compareAndSet(place(key), leased, null)) {
            leased.forget();
        }
    }

    /** Gives back all permits that were not used, waiting a second for it at most, and closes the other engine. */
    @Override
    public void close() {
        closed = true;
        List<CompletableFuture<?>> givenBack = new ArrayList<>();
        for (int i = 0; i < PLACES; i++) {
            PrefetchedKey leased = keys.get(i);
            if (leased != null) {
                givenBack.add(leased.close());
            }
        }
        CompletableFuture.allOf(givenBack.toArray(CompletableFuture[]::new))
                .completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS)
                .join();
        engine.close();
    }

    /** The key's own place if it has one, under the same limit. */
    private @Nullable PrefetchedKey find(String key, Limit<?> limit) {
        if (limit.prefetch() == null) {
            return null;
        }
        PrefetchedKey leased = keys.get(place(key));
        return leased != null && leased.isFor(key, limit) ? leased : null;
    }

    /** Where the key's permits are leased; {@code null} if they are not. */
    private @Nullable PrefetchedKey leasedKey(String key, Limit<?> limit, Request request) {
        PrefetchTerms terms = limit.prefetch();
        if (terms == null || request.action() != Request.Action.TAKE || closed) {
            return null;
        }
        PrefetchedKey leased = keys.get(place(key));
        if (leased != null && leased.isFor(key, limit)) {
            return leased;
        }
        return leased == null || leased.isIdle() ? replace(leased, key, limit, terms) : null;
    }

    private @Nullable PrefetchedKey replace(
            @Nullable PrefetchedKey idle, String key, Limit<?> limit, PrefetchTerms terms) {
        PrefetchedKey fresh = new PrefetchedKey(key, limit, terms, engine, clock, sleeper);
        if (!keys.compareAndSet(place(key), idle, fresh)) {
            return null;
        }
        if (idle != null) {
            // A block that was on its way goes straight back.
            idle.close();
        }
        if (closed) {
            fresh.close();
        }
        return fresh;
    }

    private static int place(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (PLACES - 1);
    }
}
