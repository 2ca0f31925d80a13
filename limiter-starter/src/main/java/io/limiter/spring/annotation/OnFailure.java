package io.limiter.spring.annotation;

/** What a limit answers when Redis does not decide; see {@link io.limiter.FailurePolicy}. */
public enum OnFailure {

    /** What the application has in {@code limiter.failure.policy}. */
    DEFAULT,

    /** The call is refused. */
    DENY,

    /** The call goes through. */
    ALLOW,

    /** This instance decides alone, under the limit or a share of it. */
    LOCAL,

    /** The caller gets the {@link io.limiter.LimiterBackendException}. */
    THROW
}
