package io.limiter;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** Thrown when a limit is exceeded. An expected outcome under load, so it has no stack trace. */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String limiter;
    private final List<String> keys;
    private final Decision decision;

    /** Of the limiter's own permits, with a message that says when to retry, or that it does not help. */
    public RateLimitExceededException(String limiter, Decision decision) {
        this(limiter, List.of(), decision);
    }

    /**
     * With a message that says when to retry, or that it does not help.
     *
     * @param limiter the name of the limiter
     * @param keys as of {@link Limiter#keys()}
     */
    public RateLimitExceededException(String limiter, List<String> keys, Decision decision) {
        this(limiter, keys, decision, defaultMessage(Objects.requireNonNull(decision, "decision")));
    }

    /**
     * @param limiter the name of the limiter
     * @param keys as of {@link Limiter#keys()}
     */
    public RateLimitExceededException(String limiter, List<String> keys, Decision decision, String message) {
        super(Objects.requireNonNull(message, "message"), null, false, false);
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /** The name of the limiter that rejected. */
    public final String limiter() {
        return limiter;
    }

    /** The key path whose permits were rejected, the outermost key first; none for the limiter's own permits. */
    public final List<String> keys() {
        return keys;
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
