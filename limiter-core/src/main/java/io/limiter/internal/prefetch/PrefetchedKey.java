package io.limiter.internal.prefetch;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.Sleeper;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The prefetched permits of one key: the current block, and possibly the next one. Safe for use by multiple threads.
 *
 * <p>Prefetching starts with a small block, when the backend has granted {@value #HOT} requests within one {@code
 * maxTime}. If a block is used up within half of {@code maxTime}, the next one is twice as large, up to {@code
 * maxPermits} in both blocks; if a block expires mostly unused, the next one is half as large. No block takes more
 * than a quarter of the remaining permits, so that other instances get their share; if that is less than {@value
 * #SMALLEST} permits, requests go to the backend one by one. The next block is prefetched when half of the current
 * one is used, so that no caller has to wait for it.
 */
final class PrefetchedKey {

    private static final AsyncLog log = AsyncLog.of(Prefetch.class);

    private static final int HOT = 8;
    private static final int SMALLEST = 4;
    private static final int SHARE = 4;

    private final String key;
    private final Limit<?> limit;
    private final PrefetchTerms terms;
    private final int maxPermits;
    private final long maxTimeNanos;
    private final Engine engine;
    private final ExpiryClock clock;
    private final Sleeper sleeper;
    private final LogThrottle notReturned;

    private final AtomicBoolean prefetching = new AtomicBoolean();
    private final AtomicBoolean timerSet = new AtomicBoolean();
    private final AtomicInteger recentGrants = new AtomicInteger();
    private volatile ExpiryClock.Deadline recentEnds;
    private volatile long remaining;
    // Changed under this object's monitor, in which nothing blocks.
    private volatile @Nullable PrefetchedPermits current;
    private volatile @Nullable PrefetchedPermits next;
    private volatile int blockSize = SMALLEST;
    private volatile boolean closed;
    private volatile boolean forgotten;

    /**
     * @param notReturned logs permits that could not be returned
     */
    PrefetchedKey(
            String key,
            Limit<?> limit,
            PrefetchTerms terms,
            Engine engine,
            ExpiryClock clock,
            Sleeper sleeper,
            LogThrottle notReturned) {
        this.key = key;
        this.limit = limit;
        this.terms = terms;
        this.maxPermits = terms.maxPermits();
        this.maxTimeNanos = terms.maxTime().toNanos();
        this.engine = engine;
        this.clock = clock;
        this.sleeper = sleeper;
        this.notReturned = notReturned;
        this.recentEnds = clock.in(maxTimeNanos);
    }

    boolean isFor(String otherKey, Limit<?> otherLimit, PrefetchTerms otherTerms) {
        return isFor(otherKey) && limit.equals(otherLimit) && terms.equals(otherTerms);
    }

    boolean isFor(String otherKey) {
        return key.equals(otherKey);
    }

    /** Whether its permits were taken under this very limit. */
    boolean isUnder(Limit<?> other) {
        return limit == other;
    }

    /** Whether there are no prefetched permits and no recent requests. */
    boolean isIdle() {
        return current == null && !prefetching.get() && recentEnds.isOver();
    }

    int left() {
        // In this order: a block that moves from next to current meanwhile is counted twice; in the other order it
        // would be missed.
        return left(next) + left(current);
    }

    private static int left(@Nullable PrefetchedPermits block) {
        return block == null ? 0 : block.left();
    }

    /** Takes prefetched permits. Returns the block they were taken from; {@code null} if there are not enough. */
    @Nullable
    PrefetchedPermits takeFrom(int permits) {
        PrefetchedPermits block = current;
        while (block != null) {
            int left = block.take(permits);
            if (left >= 0) {
                if (left <= block.size() / 2 && next == null) {
                    prefetchIfDue();
                }
                return block;
            }
            block = nextAfter(block);
        }
        return null;
    }

    /** The next block if this one is used up or expired; {@code null} if this one has permits left. */
    private @Nullable PrefetchedPermits nextAfter(PrefetchedPermits block) {
        boolean over = block.isOver();
        if (!over && block.left() > 0) {
            return null;
        }
        synchronized (this) {
            if (current == block) {
                current = next;
                next = null;
                if (!over && block.isYoung()) {
                    blockSize = Math.max(SMALLEST, Math.min(maxPermits, 2 * blockSize));
                }
            }
        }
        if (over) {
            returnUnused(block);
        }
        return current;
    }

    /** Records a decision of the backend for this key. */
    void decided(Decision decision) {
        if (decision.source() != Decision.Source.BACKEND) {
            // Only decisions of the backend have its remaining permits.
            return;
        }
        remaining = decision.remaining();
        if (recentEnds.isOver()) {
            recentEnds = clock.in(maxTimeNanos);
            recentGrants.set(0);
        }
        if (decision.granted() && recentGrants.incrementAndGet() >= HOT && next == null) {
            prefetchIfDue();
        }
    }

    private void prefetchIfDue() {
        long share = Math.min(blockSize, remaining / SHARE);
        if (share < SMALLEST || closed || !prefetching.compareAndSet(false, true)) {
            return;
        }
        int size = (int) Math.min(share, maxPermits - left());
        // Checked again: a block added since the caller's check would be overwritten and lost.
        if (size < 1 || next != null) {
            prefetching.set(false);
            return;
        }
        // Measured from before the request is sent, so that a block is never kept too long.
        ExpiryClock.Deadline deadline = clock.in(maxTimeNanos);
        PendingRequest.start(engine, key, limit, Request.take(size, 0)).whenComplete((decision, error) -> {
            try {
                if (error == null) {
                    remaining = decision.remaining();
                    if (decision.granted()) {
                        add(new PrefetchedPermits(size, decision, deadline, clock.in(maxTimeNanos / 2)));
                    }
                }
            } finally {
                prefetching.set(false);
            }
        });
    }

    void add(PrefetchedPermits block) {
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
            setTimer();
        }
    }

    /** Sets a timer that returns blocks which expire unused. */
    private void setTimer() {
        if (timerSet.compareAndSet(false, true)) {
            boolean isSet = false;
            try {
                sleeper.later(TimeUnit.NANOSECONDS.toMicros(maxTimeNanos) + 1, this::returnExpired);
                isSet = true;
            } finally {
                if (!isSet) {
                    // No thread could be started: the next block tries again.
                    timerSet.set(false);
                }
            }
        }
    }

    private void returnExpired() {
        timerSet.set(false);
        PrefetchedPermits block = current;
        while (block != null && block.isOver()) {
            end(block);
            block = current;
        }
        if (block != null) {
            setTimer();
        }
    }

    private void end(PrefetchedPermits block) {
        synchronized (this) {
            if (current == block) {
                current = next;
                next = null;
            }
            if (block.left() > block.size() / 2) {
                blockSize = Math.max(SMALLEST, blockSize / 2);
                recentGrants.set(0);
            }
        }
        returnUnused(block);
    }

    /** Returns all permits and stops prefetching. Completed when the backend has answered. */
    CompletableFuture<?> close() {
        closed = true;
        return drop();
    }

    /** Stops prefetching and drops all permits without returning them: the key was reset, or has another limit. */
    void forget() {
        forgotten = true;
        closed = true;
        drop();
    }

    private CompletableFuture<?> drop() {
        PrefetchedPermits first;
        PrefetchedPermits second;
        synchronized (this) {
            first = current;
            second = next;
            current = null;
            next = null;
        }
        return CompletableFuture.allOf(returnUnused(first), returnUnused(second));
    }

    private CompletableFuture<?> returnUnused(@Nullable PrefetchedPermits block) {
        int unused = block == null ? 0 : block.takeRest();
        if (unused == 0 || forgotten) {
            return CompletableFuture.completedFuture(null);
        }
        return PendingRequest.start(engine, key, limit, Request.refund(unused)).exceptionally(e -> {
            log.warn(
                    notReturned,
                    "{} unused prefetched permits of '{}' could not be returned: {}. They count as used until the limit has"
                            + " refilled; nothing needs to be done.",
                    unused,
                    ShownKey.of(key),
                    AsyncFailures.cause(e).getMessage(),
                    AsyncFailures.cause(e));
            return null;
        });
    }
}
