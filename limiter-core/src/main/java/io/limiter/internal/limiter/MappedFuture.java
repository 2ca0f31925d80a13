package io.limiter.internal.limiter;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is made of the value of another future; cancelling it cancels the other too, which {@code thenApply} does not. */
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
                    mapped.completeExceptionally(cause(error));
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

    private static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }
}
