package io.limiter.live;

/** The kinds of {@link io.limiter.FailurePolicy}. */
public enum OnFailure {
    /** Reject. */
    DENY,
    /** Grant. */
    ALLOW,
    /** Decide in this JVM. */
    LOCAL,
    /** Fail. */
    THROW
}
