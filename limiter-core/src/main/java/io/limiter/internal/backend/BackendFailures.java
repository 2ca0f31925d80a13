package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import org.jspecify.annotations.Nullable;

/** Creates the {@link LimiterBackendException}s that several packages throw. */
public final class BackendFailures {

    private static final String OTHER = "other";

    private BackendFailures() {}

    /** Nothing was done, and there is no short name for the cause. */
    public static LimiterBackendException notExecuted(String key, String text) {
        return notExecuted(key, text, null);
    }

    public static LimiterBackendException notExecuted(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.NOT_EXECUTED, OTHER, key, text, null, cause);
    }

    /** The request may have been executed, and there is no short name for the cause. */
    public static LimiterBackendException ambiguous(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.AMBIGUOUS, OTHER, key, text, null, cause);
    }

    /** The limiters were closed. */
    public static LimiterBackendException closed(String key) {
        return new LimiterBackendException(Kind.CLOSED, "closed", key, "the limiters were closed", null, null);
    }

    /**
     * Nothing was sent, because the backend is known to be unavailable. Has no stack trace: during an outage every
     * request fails this way, and recording the stack would cost more than everything else.
     */
    public static LimiterBackendException unavailable(String key, String text, @Nullable Throwable cause) {
        return new LimiterBackendException(Kind.NOT_EXECUTED, "unavailable", key, text, null, cause, false);
    }
}
