package io.limiter.spring.annotation;

/** What a limit does while Redis is unavailable; see {@link io.limiter.FailurePolicy}. */
public enum OnFailure {

    /** The policy of {@code limiter.failure.policy}. */
    DEFAULT,

    /** Rejects every call (fail closed). */
    DENY,

    /** Grants every call (fail open). */
    ALLOW,

    /** Decides in this instance alone, under the limit or its {@code failure-share}. */
    LOCAL,

    /** Decides in the instance that owns the key, under the whole limit; all others reject. */
    OWNER,

    /** Throws a {@link io.limiter.LimiterBackendException}. */
    THROW
}
