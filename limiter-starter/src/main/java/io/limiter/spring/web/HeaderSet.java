package io.limiter.spring.web;

/**
 * The headers of limited responses. Rejections always have {@code Retry-After}. The headers show each limit after its last
 * decision for the request, or after the refund if a concurrency limit rejected the call; they do not show permits that the
 * application takes or refunds itself.
 */
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
