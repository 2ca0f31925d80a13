package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call make its cost or condition invalid. A cost must be a number that is not negative, and a condition must be true or false.
 * The call is rejected, because otherwise it would escape the limit.
 *
 * <p>The HTTP status is 400, because the arguments come from the caller. The exception has no stack trace, so that a rejection costs
 * little. The message names the method and the value.
 */
public final class InvalidLimitArgumentException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String sent;

    public InvalidLimitArgumentException(String message, @Nullable Throwable cause) {
        this(message, cause, "");
    }

    /** @param sent see {@link #sent} */
    public InvalidLimitArgumentException(String message, @Nullable Throwable cause, String sent) {
        super(message, cause, false, false);
        this.sent = sent;
    }

    /** The same rejection with a message that callers may see. */
    public MissingLimitKeyException forCaller() {
        return MissingLimitKeyException.inRequest(
                "the request has no valid " + (sent.isEmpty() ? "cost or condition" : sent) + " for its limit");
    }

    /**
     * The part of the request from which the value comes, such as {@code parameter n}, in words that callers may see. Empty if it comes from the
     * arguments of a method.
     */
    public String sent() {
        return sent;
    }
}
