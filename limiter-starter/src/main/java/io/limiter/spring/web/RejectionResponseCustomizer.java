package io.limiter.spring.web;

import io.limiter.RateLimitExceededException;

/**
 * Changes the responses to rejected requests, of servlets and WebFlux: status, headers, media type or body. An application has one
 * bean of this type at most. It may be called by many threads at once, and may block.
 */
@FunctionalInterface
public interface RejectionResponseCustomizer {

    /**
     * @param rejection a {@link RateLimitExceededException}, a {@link io.limiter.LimiterBackendException} or a
     *     {@link io.limiter.spring.key.MissingLimitKeyException}
     * @param response as the settings under {@code limiter.web} make it
     * @return that response or another. If it throws, the request is answered with the given one, and the log says why.
     */
    RejectionResponse customize(RuntimeException rejection, RejectionResponse response);
}
