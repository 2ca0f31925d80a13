package io.limiter.internal.prefetch;

import io.limiter.Prefetch;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.InFlightCalls;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The prefetched permits of one key: the current block, and possibly the next one. Safe for use by multiple threads.
 *
 * <p>Prefetching starts with the second request within ten prefetch times. An instance requests as many permits as its callers did
 * since its last call, as a rate, and the square root of that twice, because requests come unevenly. The backend gives it part of
 * them if there are not enough, and says when it may call again: until then, requests are rejected here once the permits are
 * used up. Otherwise the next block is prefetched before the current one is used up, so that no caller waits.
 */
final class PrefetchedKey {

    private static final AsyncLog log = AsyncLog.of(PrefetchEngine.class);

    /** Prefetch times for which a key without requests is remembered, so that one that is used now and then is still hot. */
    private static final int REMEMBERED = 10;

    /** Pauses for which a key is remembered, if that is longer, because its requests may have stopped only for the pause. */
    private static final int REMEMBERED_PAUSES = 4;

    /**
     * The most requested permits that are counted. Nothing changes above it, because a block has far fewer, and with such a bound the
     * sum with one more request is never more than a long holds.
     */
    private static final long MOST_REQUESTED = Ranges.MAX_PERMITS;

    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final String key;
    private final LimitStep<?> limit;
    private final Prefetch terms;
    private final long timeNanos;
    private final PrefetchSize size;
    private final Engine engine;
    private final ExpiryClock clock;
    private final Sleeper sleeper;
    private final InFlightCalls calls;
    private final LogThrottle notReturned;

    private final AtomicBoolean prefetching = new AtomicBoolean();
    private final AtomicBoolean timerSet = new AtomicBoolean();
    // Requested without being granted from a block.
    private final AtomicLong others = new AtomicLong();
    private volatile ExpiryClock.Deadline remembered;
    private volatile boolean wasRequested;
    private volatile ExpiryClock.Deadline lastCall;
    private volatile @Nullable Pause pause;
    // Changed under this object's monitor, in which nothing blocks.
    private volatile @Nullable PrefetchedPermits current;
    private volatile @Nullable PrefetchedPermits next;
    private volatile boolean closed;
    private volatile boolean forgotten;

    /**
     * @param calls what it has begun, which closing the limiters waits for
     * @param notReturned logs permits that could not be returned
     */
    PrefetchedKey(
            String key,
            LimitStep<?> limit,
            Prefetch terms,
            Engine engine,
            ExpiryClock clock,
            Sleeper sleeper,
            InFlightCalls calls,
            LogThrottle notReturned) {
        this.key = key;
        this.limit = limit;
        this.terms = terms;
        this.timeNanos = terms.time().toNanos();
        this.size = new PrefetchSize(limit, terms);
        this.engine = engine;
        this.clock = clock;
        this.sleeper = sleeper;
        this.calls = calls;
        this.notReturned = notReturned;
        this.lastCall = clock.in(0);
        this.remembered = clock.in(REMEMBERED * timeNanos);
    }

    /** Not after it was closed, also if an Error kept the next one from its place. */
    boolean isFor(String otherKey, LimitStep<?> otherLimit, Prefetch otherTerms) {
        return !closed && isFor(otherKey) && limit.equals(otherLimit) && terms.equals(otherTerms);
    }

    boolean isFor(String otherKey) {
        return key.equals(otherKey);
    }

    /** Whether its permits were taken under this very limit. */
    boolean isUnder(LimitStep<?> other) {
        return limit == other;
    }

    /** Whether there are no prefetched permits and no recent requests. */
    boolean isIdle() {
        return current == null && !prefetching.get() && remembered.isOver();
    }

    int left() {
        // In this order, a block that moves from next to current in between is counted twice. In the other order it
        // would be missed.
        return left(next) + left(current);
    }

    /** How many of them a request can take. */
    int leftOfOne() {
        int left = left(current);
        return left > 0 ? left : left(next);
    }

    private static int left(@Nullable PrefetchedPermits block) {
        return block == null ? 0 : block.left();
    }

    /** Takes prefetched permits. Returns the block they were taken from; {@code null} if there are not enough. */
    @Nullable
    PrefetchedPermits takeFrom(long permits) {
        PrefetchedPermits block = current;
        while (block != null) {
            long left = block.take(permits);
            if (left >= 0) {
                if (next == null && block.isNearEnd(left)) {
                    prefetchIfDue();
                }
                return block;
            }
            block = nextAfter(block, permits);
        }
        return null;
    }

    /** The next block if this one is used up or expired, or has too few permits where the next one has enough. */
    private @Nullable PrefetchedPermits nextAfter(PrefetchedPermits block, long permits) {
        if (!block.isOver() && block.left() > 0 && left(next) < permits) {
            return null;
        }
        end(block);
        return current;
    }

    /**
     * Whether this instance has used up its share, so that a request for at most so many permits is rejected until it may call
     * again. Counts the request then.
     */
    boolean rejects(long permits) {
        return rejectedBy(permits, permits) != null;
    }

    /**
     * As {@link #rejects}, with the decision; {@code null} if it is not rejected.
     *
     * @param permits at least these
     * @param wanted as many as are counted
     */
    @Nullable
    Outcome rejection(long permits, long wanted) {
        Pause rejecting = rejectedBy(permits, wanted);
        return rejecting == null ? null : rejecting.rejection(limit.capacity());
    }

    private @Nullable Pause rejectedBy(long permits, long wanted) {
        Pause last = pause;
        // The permits last, because a reply may have brought some since there were none to take from.
        if (last == null || closed || !last.rejects(permits, prefetching.get()) || left() >= permits) {
            return null;
        }
        requested(wanted);
        return last;
    }

    /** Counts a request, unless it exceeds the capacity and so can never be granted. */
    private void requested(long permits) {
        if (permits <= limit.capacity() && others.addAndGet(permits) > MOST_REQUESTED) {
            others.set(MOST_REQUESTED);
        }
    }

    /** Counts a request that goes to the backend, and prefetches if it is not the first one. */
    void passed(long permits) {
        requested(permits);
        if (remembered.isOver()) {
            wasRequested = false;
            others.set(permits);
            lastCall = clock.in(0);
        }
        boolean isHot = wasRequested;
        wasRequested = true;
        remembered = clock.in(REMEMBERED * timeNanos);
        if (isHot && next == null) {
            prefetchIfDue();
        }
    }

    private void prefetchIfDue() {
        Pause last = pause;
        if (closed || last != null && !last.end().isOver() || !prefetching.compareAndSet(false, true)) {
            return;
        }
        boolean begins = false;
        try {
            // Checked again: a block added since would be lost.
            int wanted = next != null ? 0 : wanted(last == null ? 0 : last.nanos());
            begins = wanted > 0 && calls.begin(() -> closed ? NOTHING : prefetch(wanted)) != NOTHING;
        } finally {
            if (!begins) {
                prefetching.set(false);
            }
        }
    }

    private CompletableFuture<Void> prefetch(int wanted) {
        others.set(0);
        report(current);
        // Measured from before the request is sent, so that a block is never kept too long.
        ExpiryClock.Deadline sent = clock.in(0);
        lastCall = sent;
        Request request = Request.prefetch(wanted, timeNanos / 1000, Math.max(1, 1_000_000L / terms.callsPerSecond()));
        return Ask.start(engine, key, limit, request)
                .thenCompose(outcome -> prefetched(outcome.verdict(), sent, wanted))
                .whenComplete((returned, error) -> {
                    pause = error == null ? pause : null;
                    prefetching.set(false);
                });
    }

    /** How many permits this instance will need until its next call in addition to those that it has. */
    private int wanted(long pauseNanos) {
        double requested = (double) others.get() + newlyUsed(current);
        return size.wanted(requested, lastCall.agoNanos(), pauseNanos, left());
    }

    private static int newlyUsed(@Nullable PrefetchedPermits block) {
        return block == null ? 0 : block.newlyUsed();
    }

    private static void report(@Nullable PrefetchedPermits block) {
        if (block != null) {
            block.report();
        }
    }

    /** Completed when the permits have been returned, if they came too late. */
    private CompletableFuture<Void> prefetched(Verdict verdict, ExpiryClock.Deadline sent, int wanted) {
        long pauseNanos = TimeUnit.MICROSECONDS.toNanos(verdict.retryAfterMicros());
        remembered = clock.in(Math.max(REMEMBERED * timeNanos, REMEMBERED_PAUSES * pauseNanos));
        long shortest = (long) (PrefetchSize.PAUSE * timeNanos);
        Pause until = Pause.of(verdict, sent, shortest);
        if (!verdict.isGranted()) {
            pause = until;
            return NOTHING;
        }
        // Until the call that the backend has reserved: two pauses after the time to call again if it gave all.
        long heldNanos = verdict.limit() < wanted ? pauseNanos : pauseNanos == 0 ? shortest : pauseNanos + 2 * shortest;
        long usableNanos = timeNanos + heldNanos;
        long oldNanos = usableNanos - (long) size.lasts(pauseNanos);
        CompletableFuture<Void> added = add(
                new PrefetchedPermits(verdict, limit.capacity(), sent.plus(usableNanos), heldNanos, oldNanos),
                usableNanos);
        // After the permits, or it would reject requests that they are for.
        pause = until;
        return added;
    }

    CompletableFuture<Void> add(PrefetchedPermits block, long usableNanos) {
        synchronized (this) {
            if (current == null) {
                current = block;
            } else {
                next = block;
            }
        }
        if (closed) {
            return drop();
        }
        setTimer(usableNanos);
        return NOTHING;
    }

    /** Sets a timer that returns blocks which expire unused. */
    private void setTimer(long nanos) {
        if (timerSet.compareAndSet(false, true)) {
            boolean isSet = false;
            try {
                sleeper.later(TimeUnit.NANOSECONDS.toMicros(nanos) + 1, () -> returnExpired(nanos));
                isSet = true;
            } finally {
                if (!isSet) {
                    // No thread could be started: the next block tries again.
                    timerSet.set(false);
                }
            }
        }
    }

    private void returnExpired(long nanos) {
        timerSet.set(false);
        PrefetchedPermits block = current;
        while (block != null && block.isOver()) {
            end(block);
            block = current;
        }
        if (block != null) {
            setTimer(nanos);
        }
    }

    /** Goes on to the next block. Unused permits are returned, unless they are few where calls are. */
    private void end(PrefetchedPermits block) {
        boolean isWorthReturning = pause == null || block.isWorthReturning();
        calls.begin(() -> {
            synchronized (this) {
                if (current != block) {
                    return NOTHING;
                }
                others.addAndGet(block.report());
                current = next;
                next = null;
                if (current != null && !isWorthReturning) {
                    return NOTHING;
                }
            }
            return returnUnused(block);
        });
    }

    /** Returns all permits and stops prefetching. */
    void close() {
        closed = true;
        calls.begin(this::drop);
    }

    /** Stops prefetching and drops all permits without returning them: the key was reset, or has another limit. */
    void forget() {
        forgotten = true;
        closed = true;
        drop();
    }

    private CompletableFuture<Void> drop() {
        PrefetchedPermits first;
        PrefetchedPermits second;
        synchronized (this) {
            first = current;
            second = next;
            current = null;
            next = null;
        }
        return CompletableFuture.allOf(returnUnused(second), returnUnused(first));
    }

    /** As if they had not been taken, as far as the bucket would not have overflowed since. */
    private CompletableFuture<?> returnUnused(@Nullable PrefetchedPermits block) {
        int unused = block == null || forgotten ? 0 : block.takeRest();
        if (block == null || unused == 0) {
            return NOTHING;
        }
        return Ask.start(engine, key, limit, Request.cancel(unused, block.prefetched()))
                .exceptionally(e -> {
                    log.warn(
                            notReturned,
                            "{} unused prefetched permits of '{}' could not be returned: {}. They count as used until the"
                                    + " limit has refilled. You need not do anything.",
                            unused,
                            ShownKey.of(key),
                            AsyncFailures.cause(e).getMessage(),
                            AsyncFailures.cause(e));
                    return null;
                });
    }
}
