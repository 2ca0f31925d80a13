package io.limiter.spring.web;

/** The headers of limited responses. Rejections have {@code Retry-After} in any case. */
public enum HeaderSet {

    /** {@code RateLimit-Policy} and {@code RateLimit}, with a member for each limit. */
    RATELIMIT,

    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset} (in seconds from now), of the tightest limit. */
    X_RATELIMIT,

    /** All of these. */
    BOTH,

    /** None of these. */
    NONE
}
