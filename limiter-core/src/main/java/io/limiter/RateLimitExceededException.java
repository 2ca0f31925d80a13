package io.limiter;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** Thrown when a limit is exceeded. It has no stack trace, because it is an expected outcome under load. */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String limiter;
    private final List<String> keys;
    private final Decision decision;

    /** A rejection of the limiter's own permits, with a message that says when to retry, or that another try does not help. */
    public RateLimitExceededException(String limiter, Decision decision) {
        this(limiter, List.of(), decision);
    }

    /**
     * A rejection with a message that says when to retry, or that another try does not help.
     *
     * @param limiter the name of the limiter
     * @param keys as in {@link Limiter#keys()}
     */
    public RateLimitExceededException(String limiter, List<String> keys, Decision decision) {
        this(limiter, keys, decision, defaultMessage(Objects.requireNonNull(decision, "decision")));
    }

    /**
     * @param limiter the name of the limiter
     * @param keys as in {@link Limiter#keys()}
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

    /** The key path whose permits were rejected, the outermost key first. Empty for the permits of the limiter itself. */
    public final List<String> keys() {
        return keys;
    }

    /** The rejection, with the remaining permits and the retry-after. */
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
