package io.limiter.internal.engine;

import io.limiter.LimiterBackendException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The caller's future of an answer that only the backend can give. It is either sent or withdrawn, never both: after
 * a withdrawal it is certain that nothing was executed. It is completed once, by the first thread that can.
 *
 * <p>Only {@link #answer} and {@link #fail} complete it from inside. A caller can complete it in any other way; it is
 * not sent then, or what the answer grants is returned.
 */
public class Pending<T> extends CompletableFuture<T> {

    // Bytes, because there is one of these objects for each decision.
    private static final byte WAITING = 0;
    private static final byte SENT = 1;
    private static final byte WITHDRAWN = 2;

    private static final byte NOT_FAILING = 0;
    private static final byte FAILING = 1;
    private static final byte FAILING_IN_WAITER = 2;

    private static final VarHandle STATE;
    private static final VarHandle FAILURE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Pending.class, "state", byte.class);
            FAILURE = lookup.findVarHandle(Pending.class, "failure", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String key;
    private final @Nullable Fallback<T> fallback;
    private long deadlineNanos;
    private @Nullable Consumer<Pending<?>> beforeParking;
    // Confined to the thread that sends it, or to the timer that sends it again.
    private byte tries;
    private volatile @Nullable LimiterBackendException lastFailure;
    // Whether a thread waits in await(), so that no other code depends on this future.
    private volatile boolean awaited;
    // Accessed through STATE.
    private volatile byte state;
    // Accessed through FAILURE.
    private volatile byte failure;

    /**
     * @param key named in errors
     * @param fallback answers if the backend fails; {@code null} to fail with its failure
     */
    public Pending(String key, @Nullable Fallback<T> fallback) {
        this.key = key;
        this.fallback = fallback;
    }

    /** Answers when the backend has failed, and returns unused permits. */
    @FunctionalInterface
    public interface Fallback<T> {

        /**
         * @throws LimiterBackendException if the failure is to be the result
         */
        T answer(LimiterBackendException failure, Pending<T> pending);

        /**
         * Returns what an answer grants, without waiting for it. Must not throw.
         *
         * @return completed when it is returned
         */
        default CompletableFuture<?> returnUnused(T answer, Pending<T> pending) {
            return CompletableFuture.completedFuture(null);
        }
    }

    public final String key() {
        return key;
    }

    /** The number of keys, at least 1. */
    public int size() {
        return 1;
    }

    /** One of the keys; none occurs twice. */
    public String key(int part) {
        return key;
    }

    /**
     * Marks this as sent. To be called immediately before sending.
     *
     * @return {@code false} if it was withdrawn or is completed and must not be sent
     */
    public final boolean markSent() {
        return STATE.compareAndSet(this, WAITING, SENT) && !isEnding();
    }

    /** Marks this as not sent again, once it is known that nothing was executed, so that it can be retried. */
    public final void waitAgain() {
        STATE.compareAndSet(this, SENT, WAITING);
    }

    /**
     * Prevents this from being sent.
     *
     * @return {@code false} if it was sent already
     */
    public final boolean withdraw() {
        return STATE.compareAndSet(this, WAITING, WITHDRAWN) || state == WITHDRAWN;
    }

    /**
     * Completes this with an answer. If the caller has completed it before, what the answer grants is returned. If it
     * has failed before, that counts as spent: what the failure policy granted may be in use.
     *
     * @return whether the answer is the result
     */
    public boolean answer(T answer) {
        boolean first = complete(answer);
        if (!first && failure == NOT_FAILING) {
            returnUnused(answer);
        }
        return first;
    }

    /**
     * Cancels this if it has no answer yet; otherwise returns what the answer grants. To be called once.
     *
     * @return completed when an answer that there was is returned
     */
    public final CompletableFuture<?> giveUp() {
        return !cancel(false) && !isCompletedExceptionally()
                ? returnUnused(join())
                : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<?> returnUnused(T answer) {
        return fallback == null ? CompletableFuture.completedFuture(null) : fallback.returnUnused(answer, this);
    }

    /** Sets the deadline. To be called before any other thread sees this. */
    public final void dueAt(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
    }

    public final long deadlineNanos() {
        return deadlineNanos;
    }

    public final boolean isOverdue(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    /** Sets what a thread does in {@link #await} before it parks. To be called before {@link #await}. */
    public final void beforeParking(Consumer<Pending<?>> newBeforeParking) {
        beforeParking = newBeforeParking;
    }

    /**
     * Records a failure after which this may be retried.
     *
     * @return the number of earlier failures
     */
    public final int failedOnce(LimiterBackendException newFailure) {
        lastFailure = newFailure;
        return tries < Byte.MAX_VALUE ? tries++ : tries;
    }

    /** Whether it was withdrawn; the thread that withdrew it completes it. */
    public final boolean isWithdrawn() {
        return state == WITHDRAWN;
    }

    /** Whether this is completed, or is being completed by its fallback. */
    public final boolean isEnding() {
        return failure != NOT_FAILING || isDone();
    }

    /** The last recorded failure; {@code null} if there is none. */
    public final @Nullable LimiterBackendException lastFailure() {
        return lastFailure;
    }

    /**
     * Fails this, or completes it with the answer of its fallback. Does nothing if it is completed or failing
     * already.
     *
     * @param outside runs the fallback and dependent stages if no thread waits in {@link #await}
     * @throws OutOfMemoryError if {@code outside} can start no thread; then this can be called again
     */
    public final void fail(LimiterBackendException why, Executor outside) {
        if (isDone() || !FAILURE.compareAndSet(this, NOT_FAILING, FAILING)) {
            return;
        }
        if (awaited) {
            failure = FAILING_IN_WAITER;
            completeExceptionally(why);
            return;
        }
        try {
            outside.execute(() -> answerInstead(why));
        } catch (OutOfMemoryError e) {
            failure = NOT_FAILING;
            throw e;
        } catch (RuntimeException | Error e) {
            // Nothing else would complete this.
            completeExceptionally(why);
        }
    }

    private void answerInstead(LimiterBackendException why) {
        if (fallback == null) {
            completeExceptionally(why);
            return;
        }
        try {
            T answer = fallback.answer(why, this);
            if (!answer(answer)) {
                returnUnused(answer);
            }
        } catch (RuntimeException | Error e) {
            // Errors too: nothing else would complete this.
            completeExceptionally(e);
        }
    }

    /**
     * Says that a thread waits for this, or for what depends on it, and that no caller's code depends on it, so that it may end on
     * any thread. To be called before it can fail. Only {@link #await} may call this if there is a fallback, which it then runs.
     */
    public final void markAwaited() {
        awaited = true;
    }

    /**
     * Waits for the answer. Uses no timer, which would be the largest cost on a virtual thread; the owner of the
     * {@linkplain #dueAt deadline} ends the wait. An interrupt does not end it; the interrupt flag is restored
     * afterwards.
     *
     * @throws LimiterBackendException if the backend failed and there is no fallback
     */
    public final T await() {
        markAwaited();
        if (beforeParking != null) {
            beforeParking.accept(this);
        }
        Throwable error;
        if (isCompletedExceptionally()) {
            // As each request is at once in an outage; join() would add an exception with a stack trace.
            error = handle((answer, failed) -> failed).join();
        } else {
            try {
                return join();
            } catch (CompletionException e) {
                error = e.getCause();
            }
        }
        if (error instanceof LimiterBackendException why) {
            return failed(why);
        }
        throw error instanceof RuntimeException cause ? cause : new CompletionException(error);
    }

    private T failed(LimiterBackendException why) {
        if (fallback == null || failure != FAILING_IN_WAITER) {
            throw why.inThisThread();
        }
        try {
            return fallback.answer(why, this);
        } catch (LimiterBackendException e) {
            throw e.inThisThread();
        }
    }
}
