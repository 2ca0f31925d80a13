package io.limiter.internal.backend;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Unwraps the exceptions of failed futures. */
public final class AsyncFailures {

    private AsyncFailures() {}

    /** The failure without the {@link CompletionException} around it. */
    public static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
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
