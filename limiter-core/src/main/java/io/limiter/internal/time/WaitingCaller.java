package io.limiter.internal.time;

import java.util.concurrent.CompletableFuture;

/**
 * A caller's own future, which may wait in a {@link CallerQueue} until its deadline.
 *
 * @param <T> the caller's result
 */
public abstract class WaitingCaller<T> extends CompletableFuture<T> {

    // So that times can be subtracted: some 73 years.
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private final long deadlineNanos;
    // Guarded by the queue.
    private long place;

    /** @param timeoutNanos the longest time that it may wait */
    protected WaitingCaller(long nowNanos, long timeoutNanos) {
        this.deadlineNanos = nowNanos + Math.min(timeoutNanos, LONGEST_NANOS);
    }

    final void place(long newPlace) {
        place = newPlace;
    }

    /** How long it may still wait; 0 or less if it must not. */
    public long leftNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    /** Orders the callers of a queue by deadline, and equal ones by their place. */
    protected int compareDeadline(WaitingCaller<?> other) {
        long later = deadlineNanos - other.deadlineNanos;
        return Long.signum(later == 0 ? place - other.place : later);
    }
}
