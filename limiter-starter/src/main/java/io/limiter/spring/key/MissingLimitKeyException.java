package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * A call has no key to be limited by: an argument is null or blank, or there is no request or user to ask. It is
 * refused, because otherwise all such calls would share one limit, or escape it.
 *
 * <p>Over HTTP it is answered with status 400, because what a key is made of comes from the caller.
 */
public final class MissingLimitKeyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean forCaller;

    public MissingLimitKeyException(String message) {
        super(message);
        this.forCaller = false;
    }

    public MissingLimitKeyException(String message, Throwable cause) {
        super(message, cause);
        this.forCaller = false;
    }

    private MissingLimitKeyException(String message, @Nullable Throwable cause, boolean forCaller) {
        super(message, cause, false, false);
        this.forCaller = forCaller;
    }

    /** Whether the message says what the request lacks, and nothing of the application that is nobody's business. */
    public boolean isForCaller() {
        return forCaller;
    }

    /** As {@link #inCall}, with a message that the caller may read. */
    public static MissingLimitKeyException inRequest(String message) {
        return new MissingLimitKeyException(message, null, true);
    }

    /**
     * For what callers send, as often as they like: without a stack trace, so that a refusal costs little. The message
     * must say which method it is.
     */
    public static MissingLimitKeyException inCall(String message, @Nullable Throwable cause) {
        return new MissingLimitKeyException(message, cause, false);
    }
}
