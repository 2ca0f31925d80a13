package io.limiter;

/**
 * The backend that holds a limiter's state did not decide: Redis does not answer or refuses, a lock was not to be had,
 * or what is stored under the key is not a limiter's state. Whether permits were taken is unknown if the connection
 * broke after the request was sent; assume they were.
 */
public final class LimiterBackendException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String key;

    /**
     * @param key the key in the backend
     * @param problem what happened, and what to do if that is known
     */
    public LimiterBackendException(String key, String problem) {
        super("no decision for key '" + key + "': " + problem);
        this.key = key;
    }

    private LimiterBackendException(LimiterBackendException same) {
        super(same.getMessage(), same.getCause());
        this.key = same.key;
    }

    /** With the backend client's own exception as the cause. */
    public LimiterBackendException(String key, String problem, Throwable cause) {
        this(key, problem);
        initCause(cause);
    }

    /** The same failure with the calling thread's stack, for a caller whose request failed on another thread. */
    public LimiterBackendException inThisThread() {
        return new LimiterBackendException(this);
    }

    /** The key in the backend. */
    public String key() {
        return key;
    }
}
