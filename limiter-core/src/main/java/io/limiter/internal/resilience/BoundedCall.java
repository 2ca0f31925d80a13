package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.spi.Pending;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that shares nothing with others, tried again while that makes sense, and over when its time is.
 *
 * @param <T> what it is answered
 */
public final class BoundedCall<T> extends CompletableFuture<T> {

    private final Guard guard;
    private final String key;
    private final Supplier<CompletableFuture<T>> call;
    private final Consumer<T> decided;
    private final long startNanos;
    private final long deadlineNanos;
    private int tries;
    private volatile @Nullable LimiterBackendException lastFailure;
    // Not null from just before something may be sent until it is known to have done nothing.
    private final AtomicReference<@Nullable CompletableFuture<?>> tried = new AtomicReference<>();
    // By a thread, and nobody else has seen it.
    private volatile boolean awaited;

    /** In place of what is about to be sent, and may have been. */
    private static final CompletableFuture<?> STARTING = new CompletableFuture<>();

    /** In place of what will never be sent, because the time is over. */
    private static final CompletableFuture<?> WITHDRAWN = new CompletableFuture<>();

    private BoundedCall(Guard guard, String key, Supplier<CompletableFuture<T>> call, Consumer<T> decided) {
        this.decided = decided;
        this.guard = guard;
        this.key = key;
        this.call = call;
        this.startNanos = guard.now();
        this.deadlineNanos = startNanos + guard.budgetNanos();
    }

    /** One whose answer concerns nobody else. */
    public static <T> BoundedCall<T> start(Guard guard, String key, Supplier<CompletableFuture<T>> call) {
        return start(guard, key, call, answer -> {});
    }

    /**
     * @param key that is told if it fails
     * @param call makes the call, and does not block
     * @param decided is told of the answer first
     */
    public static <T> BoundedCall<T> start(
            Guard guard, String key, Supplier<CompletableFuture<T>> call, Consumer<T> decided) {
        BoundedCall<T> started = new BoundedCall<>(guard, key, call, decided);
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
        if (isDone() || !tried.compareAndSet(null, STARTING)) {
            return;
        }
        CompletableFuture<T> attempt;
        try {
            attempt = call.get();
        } catch (RuntimeException | Error e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        tried.set(attempt);
        if (isDone()) {
            // While it was being started. It counts as sent; better if it is not.
            attempt.cancel(true);
        }
        attempt.whenComplete((answer, error) -> {
            if (error == null) {
                guard.answered(startNanos);
                decided.accept(answer);
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
        if (failure.kind() == LimiterBackendException.Kind.RETRYABLE && pause < deadlineNanos - guard.now()) {
            lastFailure = failure;
            tried.set(null);
            guard.deadlines().later(pause, this::attempt);
            return;
        }
        guard.failed(failure);
        end(failure);
    }

    private void end(LimiterBackendException failure) {
        if (awaited) {
            completeExceptionally(failure);
        } else {
            guard.deadlines().outside(() -> completeExceptionally(failure));
        }
    }

    boolean isOverdue(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    /** Its time is over. */
    void expire() {
        if (isDone()) {
            return;
        }
        CompletableFuture<?> attempt = tried.compareAndExchange(null, WITHDRAWN);
        boolean withdrawn =
                attempt == null || attempt == WITHDRAWN || attempt instanceof Pending<?> pending && pending.withdraw();
        end(withdrawn ? guard.notSent(key, deadlineNanos, lastFailure) : guard.notAnswered(key));
    }

    /** Waits for the answer, until its time is over; see {@link Guard#await}. */
    public T await() {
        awaited = true;
        return Guard.await(this);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<?> attempt = tried.get();
        if (cancelled && attempt != null && attempt != STARTING && attempt != WITHDRAWN) {
            attempt.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
