package io.limiter;

import io.limiter.algorithm.Decision;

/**
 * A limit was exceeded, by a caller that has no other way to learn it. An expected outcome under load, so it carries no
 * stack trace.
 */
public final class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String key;
    private final Decision decision;

    /** With a message that says when to come back. */
    public RateLimitExceededException(String key, Decision decision) {
        this(key, decision, defaultMessage(key, decision));
    }

    public RateLimitExceededException(String key, Decision decision, String message) {
        super(message, null, false, false);
        this.key = key;
        this.decision = decision;
    }

    /** Whose permits ran out: the key, or the limiter's name where no key was given. */
    public String key() {
        return key;
    }

    /** The refusal, with what remains and when to come back. */
    public Decision decision() {
        return decision;
    }

    private static String defaultMessage(String key, Decision decision) {
        return decision.retryAfterMicros() == Decision.NEVER_MICROS
                ? "rate limit of '" + key + "' can never grant that much at once"
                : "rate limit of '" + key + "' exceeded, retry after " + decision.retryAfter();
    }
}
