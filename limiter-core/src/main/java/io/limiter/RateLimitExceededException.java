package io.limiter;

import io.limiter.algorithm.Decision;
import java.util.OptionalLong;

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
        this(key, decision, defaultMessage(decision));
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

    /** The rejection, with what remains and when to come back. */
    public Decision decision() {
        return decision;
    }

    /** It goes to the caller over HTTP, so it names neither limiter nor key. */
    private static String defaultMessage(Decision decision) {
        OptionalLong seconds = decision.retryAfterSeconds();
        return seconds.isEmpty()
                ? "Too many requests"
                : "Too many requests, try again in " + seconds.getAsLong() + " s";
    }
}
