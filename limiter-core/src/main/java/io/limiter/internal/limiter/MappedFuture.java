package io.limiter.internal.limiter;

import io.limiter.internal.backend.AsyncFailures;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A future of another one's mapped value. Cancelling it cancels the other too, unlike {@code thenApply}'s. */
final class MappedFuture<S, T> extends CompletableFuture<T> {

    private final CompletableFuture<S> source;

    private MappedFuture(CompletableFuture<S> source) {
        this.source = source;
    }

    static <S, T> CompletableFuture<T> of(CompletableFuture<S> source, Function<S, T> map) {
        MappedFuture<S, T> mapped = new MappedFuture<>(source);
        source.whenComplete((value, error) -> {
            try {
                if (error == null) {
                    mapped.complete(map.apply(value));
                } else {
                    mapped.completeExceptionally(AsyncFailures.cause(error));
                }
            } catch (RuntimeException | Error e) {
                mapped.completeExceptionally(e);
            }
        });
        return mapped;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        source.cancel(mayInterruptIfRunning);
        return super.cancel(mayInterruptIfRunning);
    }
}
