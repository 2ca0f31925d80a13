package io.limiter.spring.internal.check;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A future that is completed after another one. Cancelling it cancels the one that it waits for. */
public class CancellingFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private volatile @Nullable Future<?> awaited;

    /** What a function makes of the value of another future, which is cancelled with this one. */
    static <S, T> CompletableFuture<T> of(CompletableFuture<S> source, Function<S, T> function) {
        CancellingFuture<T> future = new CancellingFuture<>();
        future.await(source);
        source.whenComplete((value, error) -> {
            if (error == null) {
                future.complete(function.apply(value));
            } else {
                future.completeExceptionally(error);
            }
        });
        return future;
    }

    /** Waits for a future, in place of the one before. */
    protected final void await(Future<?> future) {
        awaited = future;
        if (isCancelled()) {
            future.cancel(true);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        Future<?> pending = awaited;
        if (cancelled && pending != null) {
            pending.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
