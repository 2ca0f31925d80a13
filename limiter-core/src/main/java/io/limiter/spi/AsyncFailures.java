package io.limiter.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What went wrong, without the wrapping that futures put around what failed in a stage before. */
public final class AsyncFailures {

    private AsyncFailures() {}

    /** The failure itself. */
    public static Throwable cause(Throwable error) {
        @Nullable Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }

    /** Waits for the value, also if interrupted; throws what the future failed with as it is, if that is unchecked. */
    public static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
