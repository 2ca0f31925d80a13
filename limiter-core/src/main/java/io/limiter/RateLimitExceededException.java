package io.limiter;

import io.limiter.algorithm.Decision;
import java.util.Objects;
import java.util.OptionalLong;

/** Thrown when a limit is exceeded. An expected outcome under load, so it has no stack trace. */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String key;
    private final Decision decision;

    /** With a message that says when to retry, or that it does not help. */
    public RateLimitExceededException(String key, Decision decision) {
        this(key, decision, defaultMessage(Objects.requireNonNull(decision, "decision")));
    }

    public RateLimitExceededException(String key, Decision decision, String message) {
        super(Objects.requireNonNull(message, "message"), null, false, false);
        this.key = Objects.requireNonNull(key, "key");
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /** The key whose limit was exceeded, without a hash tag; or the limiter's name for its own permits. */
    public final String key() {
        return key;
    }

    /** The rejection, with what remains and when to retry. */
    public final Decision decision() {
        return decision;
    }

    /** Sent to HTTP clients, so it names neither limiter nor key. */
    private static String defaultMessage(Decision decision) {
        OptionalLong seconds = decision.retryAfterSeconds();
        return seconds.isEmpty()
                ? "The request can never be granted, so trying again does not help"
                : "Too many requests, try again in " + seconds.getAsLong() + " s";
    }
}
