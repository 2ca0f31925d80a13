package io.limiter.spring.check;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A future that is completed after another one. Cancelling it cancels the one that it waits for. */
public class CancellingFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private volatile @Nullable Future<?> awaited;

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
