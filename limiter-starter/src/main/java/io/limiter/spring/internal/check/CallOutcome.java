package io.limiter.spring.internal.check;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * How a call has ended: with a result or an exception, or a request with the status of its response.
 *
 * @param result {@code null} if the call returned none
 * @param exception {@code null} if the call did not fail
 * @param status 0 if it is that of a call
 */
public record CallOutcome(@Nullable Object result, @Nullable Throwable exception, int status) {

    static CallOutcome answered(int status) {
        return new CallOutcome(null, null, status);
    }

    /** The outcome of a call; {@code null} if it was cancelled, so that what it has done is unknown. */
    public static @Nullable CallOutcome of(@Nullable Object result, @Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof CancellationException ? null : new CallOutcome(cause == null ? result : null, cause, 0);
    }
}
