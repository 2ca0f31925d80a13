package io.limiter.internal.prefetch;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.PrefetchTerms;
import io.limiter.algorithm.Request;
import io.limiter.internal.time.LeaseClock;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.time.Timers;
import io.limiter.spi.Engine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The permits of one key that are leased: a block that is given out, and perhaps one that follows it.
 *
 * <p>Leasing begins when the backend has granted {@value #HOT} requests within one {@code maxTime}, with a small block. A
 * block that is used up within half of {@code maxTime} is followed by one of twice the size, up to {@code maxPermits} held
 * in all; after one that runs out mostly unused they get smaller, and below {@value #SMALLEST} permits the key is not hot
 * any more. No block takes more than a quarter of what remains, so that other instances get their share, and what is
 * nearly empty is asked for permit by permit. The next block is asked for when half of the one before is gone, so that
 * nobody has to wait for it.
 */
final class PrefetchedKey {

    private static final Logger log = LoggerFactory.getLogger(PrefetchedKey.class);

    private static final int HOT = 8;
    private static final int SMALLEST = 4;
    private static final int SHARE = 4;

    private final String key;
    private final Limit<?> limit;
    private final int maxPermits;
    private final long maxTimeNanos;
    private final Engine engine;
    private final LeaseClock clock;
    private final Sleeper sleeper;

    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicBoolean watching = new AtomicBoolean();
    private final AtomicInteger grantedLately = new AtomicInteger();
    private volatile LeaseClock.Deadline latelyEnds;
    private volatile long remaining;
    // Changed under this object's monitor, in which nothing blocks.
    private volatile @Nullable PrefetchedBlock current;
    private volatile @Nullable PrefetchedBlock next;
    private volatile int wanted = SMALLEST;
    private volatile boolean closed;
    private volatile boolean forgotten;

    PrefetchedKey(String key, Limit<?> limit, PrefetchTerms terms, Engine engine, LeaseClock clock, Sleeper sleeper) {
        this.key = key;
        this.limit = limit;
        this.maxPermits = terms.maxPermits();
        this.maxTimeNanos = terms.maxTime().toNanos();
        this.engine = engine;
        this.clock = clock;
        this.sleeper = sleeper;
        this.latelyEnds = clock.in(maxTimeNanos);
    }

    boolean isFor(String otherKey, Limit<?> otherLimit) {
        return isFor(otherKey) && limit.equals(otherLimit);
    }

    boolean isFor(String otherKey) {
        return key.equals(otherKey);
    }

    /** Whether nothing is leased, and nobody has asked lately. */
    boolean isIdle() {
        return current == null && !asking.get() && latelyEnds.isOver();
    }

    int left() {
        // In this order: what moves from next to current meanwhile counts twice, and in the other order not at all.
        return left(next) + left(current);
    }

    private static int left(@Nullable PrefetchedBlock block) {
        return block == null ? 0 : block.left();
    }

    /** Takes leased permits. Returns the block that had them; {@code null} if none has so many. */
    @Nullable
    PrefetchedBlock takeFrom(int permits) {
        PrefetchedBlock block = current;
        while (block != null) {
            if (block.take(permits)) {
                if (block.left() <= block.size() / 2 && next == null) {
                    lease();
                }
                return block;
            }
            block = follow(block);
        }
        return null;
    }

    /** The block after this one, if this one has nothing to give any more. */
    private @Nullable PrefetchedBlock follow(PrefetchedBlock block) {
        boolean over = block.isOver();
        if (!over && block.left() > 0) {
            return null;
        }
        synchronized (this) {
            if (current == block) {
                current = next;
                next = null;
                if (!over && block.isYoung()) {
                    wanted = Math.max(SMALLEST, Math.min(maxPermits, 2 * wanted));
                }
            }
        }
        if (over) {
            giveBack(block);
        }
        return current;
    }

    /** The backend has decided about permits that were not to be had here. */
    void asked(Decision decision) {
        if (decision.source() != Decision.Source.BACKEND) {
            // It says nothing about what the backend has left.
            return;
        }
        remaining = decision.remaining();
        if (latelyEnds.isOver()) {
            latelyEnds = clock.in(maxTimeNanos);
            grantedLately.set(0);
        }
        if (decision.granted() && grantedLately.incrementAndGet() >= HOT && next == null) {
            lease();
        }
    }

    private void lease() {
        long share = Math.min(wanted, remaining / SHARE);
        if (share < SMALLEST || closed || !asking.compareAndSet(false, true)) {
            return;
        }
        int size = (int) Math.min(share, maxPermits - left());
        // Another may have been added since the caller looked, and would be lost if this one took its place.
        if (size < 1 || next != null) {
            asking.set(false);
            return;
        }
        // From before it is asked for: a block is never held longer than it may be.
        LeaseClock.Deadline deadline = clock.in(maxTimeNanos);
        engine.decideAsync(key, limit, new Request(size, 0, false)).whenComplete((decision, error) -> {
            if (error == null) {
                remaining = decision.remaining();
                if (decision.granted()) {
                    add(new PrefetchedBlock(size, decision, deadline, clock.in(maxTimeNanos / 2)));
                }
            }
            asking.set(false);
        });
    }

    void add(PrefetchedBlock block) {
        synchronized (this) {
            if (current == null) {
                current = block;
            } else {
                next = block;
            }
        }
        if (closed) {
            drop();
        } else {
            watch();
        }
    }

    /** Sees to it that blocks go back which nobody asks for any more. */
    private void watch() {
        if (watching.compareAndSet(false, true)) {
            sleeper.later(TimeUnit.NANOSECONDS.toMicros(maxTimeNanos) + 1, this::endOverdue);
        }
    }

    private void endOverdue() {
        watching.set(false);
        PrefetchedBlock block = current;
        while (block != null && block.isOver()) {
            end(block);
            block = current;
        }
        if (block != null) {
            watch();
        }
    }

    private void end(PrefetchedBlock block) {
        synchronized (this) {
            if (current == block) {
                current = next;
                next = null;
            }
            if (block.left() > block.size() / 2) {
                wanted = Math.max(SMALLEST, wanted / 2);
                grantedLately.set(0);
            }
        }
        giveBack(block);
    }

    /** Gives everything back and leases no more; completed when the backend has it. */
    CompletableFuture<?> close() {
        closed = true;
        return drop();
    }

    /** Prefetch no more, and gives nothing back: the backend does not know of it any more. */
    void forget() {
        forgotten = true;
        closed = true;
        drop();
    }

    private CompletableFuture<?> drop() {
        PrefetchedBlock first;
        PrefetchedBlock second;
        synchronized (this) {
            first = current;
            second = next;
            current = null;
            next = null;
        }
        return CompletableFuture.allOf(giveBack(first), giveBack(second));
    }

    private CompletableFuture<?> giveBack(@Nullable PrefetchedBlock block) {
        int unused = block == null ? 0 : block.takeRest();
        if (unused == 0 || forgotten) {
            return CompletableFuture.completedFuture(null);
        }
        return engine.decideAsync(key, limit, Request.giveBack(unused)).exceptionally(e -> {
            // Not here: this may be the thread on which the answers come.
            Timers.run(() ->
                    log.warn("{} leased permits of '{}' could not be given back; they count as used.", unused, key, e));
            return null;
        });
    }
}
