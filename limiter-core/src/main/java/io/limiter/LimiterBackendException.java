package io.limiter;

/**
 * The backend that holds a limiter's state did not decide: Redis does not answer or refuses, a lock was not to be had,
 * or what is stored under the key is not a limiter's state.
 */
public final class LimiterBackendException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String key;
    private final boolean ambiguous;

    /**
     * @param key the key in the backend
     * @param problem what happened, and what to do if that is known
     */
    public LimiterBackendException(String key, String problem) {
        this(key, problem, false);
    }

    private LimiterBackendException(String key, String problem, boolean ambiguous) {
        super("no decision for key '" + key + "': " + problem
                + (ambiguous ? "; it may have been made all the same, so count the permits as taken" : ""));
        this.key = key;
        this.ambiguous = ambiguous;
    }

    private LimiterBackendException(LimiterBackendException same) {
        super(same.getMessage(), same.getCause());
        this.key = same.key;
        this.ambiguous = same.ambiguous;
    }

    /** With the backend client's own exception as the cause. */
    public LimiterBackendException(String key, String problem, Throwable cause) {
        this(key, problem, cause, false);
    }

    /**
     * @param ambiguous whether the permits may have been taken although there is no decision
     */
    public LimiterBackendException(String key, String problem, Throwable cause, boolean ambiguous) {
        this(key, problem, ambiguous);
        initCause(cause);
    }

    /** The same failure with the calling thread's stack, for a caller whose request failed on another thread. */
    public LimiterBackendException inThisThread() {
        return new LimiterBackendException(this);
    }

    /**
     * Whether the permits may have been taken although there is no decision: the request was sent, and no answer came.
     * If not, nothing was taken.
     */
    public boolean isAmbiguous() {
        return ambiguous;
    }

    /** The key in the backend. */
    public String key() {
        return key;
    }
}
