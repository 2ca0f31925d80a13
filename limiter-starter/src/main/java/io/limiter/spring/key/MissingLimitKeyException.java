package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * A call has no key: an argument is null or blank, or there is no request or user. The call is rejected, because otherwise all
 * such calls would share one limit, or escape it.
 *
 * <p>The HTTP status is 400, because the parts of a key come from the caller.
 */
public final class MissingLimitKeyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean forCaller;

    public MissingLimitKeyException(String message) {
        super(message);
        this.forCaller = false;
    }

    private MissingLimitKeyException(String message, @Nullable Throwable cause, boolean forCaller) {
        super(message, cause, false, false);
        this.forCaller = forCaller;
    }

    /** Whether callers may see the message, because it names no internals of the application. */
    public boolean isForCaller() {
        return forCaller;
    }

    /** As {@link #inCall}, with a message that callers may see. */
    public static MissingLimitKeyException inRequest(String message) {
        return new MissingLimitKeyException(message, null, true);
    }

    /** For arguments of callers: without a stack trace, so that a rejection costs little. The message must name the method. */
    public static MissingLimitKeyException inCall(String message, @Nullable Throwable cause) {
        return new MissingLimitKeyException(message, cause, false);
    }
}
