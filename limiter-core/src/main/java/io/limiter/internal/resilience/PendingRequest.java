package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.spi.Pending;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A request on its way to its decision. Cancelled before it was sent, it is never decided. */
public final class PendingRequest extends Pending<Decision> {

    private static final VarHandle INSTEAD;

    /** In place of an answer instead, once it is too late for one. */
    private static final InsteadOf FAILED = (failure, request) -> {
        throw failure;
    };

    static {
        try {
            INSTEAD = MethodHandles.lookup().findVarHandle(PendingRequest.class, "instead", InsteadOf.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String key;
    private final Limit<?> limit;
    private final Request request;
    private final long deadlineNanos;
    // Written by INSTEAD.
    private volatile @Nullable InsteadOf instead;
    // Of the one who has it: its lane, or the timer before it is in a lane again.
    private int tries;
    private volatile @Nullable LimiterBackendException lastFailure;
    // By a thread, and nobody else has seen it.
    private volatile boolean awaited;
    private volatile boolean expired;

    /**
     * @param deadlineNanos when it has to have its decision, by {@link Guard#now}
     */
    public PendingRequest(String key, Limit<?> limit, Request request, long deadlineNanos) {
        this.key = key;
        this.limit = limit;
        this.request = request;
        this.deadlineNanos = deadlineNanos;
    }

    /** What a request is answered that has failed. */
    @FunctionalInterface
    interface InsteadOf {

        /** @throws LimiterBackendException if it is to fail */
        Decision answer(LimiterBackendException failure, PendingRequest request);
    }

    public String key() {
        return key;
    }

    public Limit<?> limit() {
        return limit;
    }

    public Request request() {
        return request;
    }

    public boolean isOverdue(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    long leftNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    /**
     * Answers this should it fail.
     *
     * @return whether it will; if not, it has failed already
     */
    boolean orElse(InsteadOf answer) {
        return INSTEAD.compareAndSet(this, null, answer);
    }

    /** Answers it by what was said for that, if anything was, and otherwise fails it. */
    public void fail(LimiterBackendException failure, Guard guard) {
        if (isDone()) {
            return;
        }
        if (awaited) {
            completeExceptionally(failure);
            return;
        }
        try {
            guard.deadlines().outside(() -> fail(failure));
        } catch (RuntimeException | Error e) {
            // Nobody else will answer it.
            completeExceptionally(failure);
        }
    }

    private void fail(LimiterBackendException failure) {
        InsteadOf answer = (InsteadOf) INSTEAD.getAndSet(this, FAILED);
        if (answer == FAILED) {
            // Somebody else is at it.
            return;
        }
        if (answer == null) {
            completeExceptionally(failure);
            return;
        }
        try {
            complete(answer.answer(failure, this));
        } catch (RuntimeException | Error e) {
            // An Error too: nobody else will answer it.
            completeExceptionally(e);
        }
    }

    /** How long to wait before it is tried once more, in nanoseconds; 0 if there is no time for that. */
    public long pauseNanos(LimiterBackendException failure, long nowNanos) {
        if (failure.kind() != LimiterBackendException.Kind.RETRYABLE || isDone()) {
            return 0;
        }
        lastFailure = failure;
        long pause = Guard.pauseNanos(tries++);
        return pause < leftNanos(nowNanos) ? pause : 0;
    }

    /** Its time is over. If that cannot be said now, it is to be called again. */
    public void expire(Guard guard) {
        if (isDone() || expired) {
            return;
        }
        LimiterBackendException failure =
                withdraw() ? guard.notSent(key, deadlineNanos, lastFailure) : guard.notAnswered(key);
        expired = true;
        fail(failure, guard);
    }

    /** Waits for the decision, until its time is over; see {@link Guard#await}. */
    public Decision await(long yieldNanos) {
        awaited = true;
        if (yieldNanos > 0) {
            long start = System.nanoTime();
            while (!isDone() && System.nanoTime() - start < yieldNanos) {
                Thread.yield();
            }
        }
        return Guard.await(this);
    }
}
