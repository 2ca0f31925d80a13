package io.limiter.engine;

import io.limiter.LimiterBackendException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that shares nothing with others, tried again while that makes sense, and over when its time is.
 *
 * @param <T> what it is answered
 */
final class BoundedCall<T> extends CompletableFuture<T> {

    private final Guard guard;
    private final String key;
    private final Supplier<CompletableFuture<T>> call;
    private final long startNanos;
    private final long deadlineNanos;
    private int tries;
    private volatile @Nullable CompletableFuture<T> tried;
    private volatile @Nullable LimiterBackendException lastFailure;

    private BoundedCall(Guard guard, String key, Supplier<CompletableFuture<T>> call) {
        this.guard = guard;
        this.key = key;
        this.call = call;
        this.startNanos = System.nanoTime();
        this.deadlineNanos = startNanos + guard.budgetNanos();
    }

    /**
     * @param key that is told if it fails
     * @param call makes the call, and does not block
     */
    static <T> BoundedCall<T> start(Guard guard, String key, Supplier<CompletableFuture<T>> call) {
        BoundedCall<T> started = new BoundedCall<>(guard, key, call);
        try {
            guard.check(key);
        } catch (LimiterBackendException e) {
            started.completeExceptionally(e);
            return started;
        }
        guard.deadlines().add(started);
        started.attempt();
        return started;
    }

    private void attempt() {
        if (isDone()) {
            return;
        }
        CompletableFuture<T> attempt;
        try {
            attempt = call.get();
        } catch (RuntimeException | Error e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        tried = attempt;
        if (isCancelled()) {
            attempt.cancel(true);
        }
        attempt.whenComplete((answer, error) -> {
            if (error == null) {
                guard.answered(startNanos);
                complete(answer);
            } else {
                failed(error instanceof CompletionException && error.getCause() != null ? error.getCause() : error);
            }
        });
    }

    private void failed(Throwable error) {
        if (isDone()) {
            return;
        }
        LimiterBackendException failure = error instanceof LimiterBackendException known
                ? known
                : new LimiterBackendException(key, "the call failed: " + error, error, true);
        long pause = Guard.pauseNanos(tries++);
        if (failure.kind() == LimiterBackendException.Kind.RETRYABLE
                && failure.getSuppressed().length == 0
                && pause < deadlineNanos - System.nanoTime()) {
            tried = null;
            lastFailure = failure;
            guard.deadlines().later(pause, this::attempt);
            return;
        }
        guard.failed(failure);
        completeExceptionally(failure);
    }

    boolean isOverdue(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    /** Its time is over. */
    void expire() {
        if (isDone()) {
            return;
        }
        CompletableFuture<T> attempt = tried;
        boolean withdrawn = attempt == null || attempt instanceof Pending<?> pending && pending.withdraw();
        completeExceptionally(withdrawn ? guard.notSent(key, deadlineNanos, lastFailure) : guard.notAnswered(key));
    }

    /** Waits for the answer, until its time is over. An interrupt does not end the wait, but is set again at its end. */
    T await() {
        try {
            return Guard.await(this, deadlineNanos - System.nanoTime());
        } catch (TimeoutException e) {
            expire();
            return await();
        } catch (ExecutionException e) {
            throw Guard.inThisThread(e);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<T> attempt = tried;
        if (cancelled && attempt != null) {
            attempt.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
