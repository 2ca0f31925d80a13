package io.limiter.internal.backend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Unwraps the exceptions of failed futures. */
public final class AsyncFailures {

    private AsyncFailures() {}

    /** The failure without the {@link CompletionException} around it. */
    public static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }

    /**
     * As {@code thenApply}, but fails with the failure itself. Completing the result does not stop the source, nor
     * keep it from being completed.
     */
    public static <S, T> CompletableFuture<T> map(CompletableFuture<S> source, Function<S, T> map) {
        CompletableFuture<T> mapped = new CompletableFuture<>();
        source.thenApply(map).whenComplete((value, error) -> {
            if (error == null) {
                mapped.complete(value);
            } else {
                mapped.completeExceptionally(cause(error));
            }
        });
        return mapped;
    }

    /** Waits for the value, even if interrupted. An unchecked exception of the future is thrown as it is. */
    public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
