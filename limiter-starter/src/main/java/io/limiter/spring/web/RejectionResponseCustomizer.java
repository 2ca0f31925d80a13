package io.limiter.spring.web;

import io.limiter.RateLimitExceededException;

/**
 * Changes the status, headers, media type or body of responses to rejected requests, in servlets and WebFlux. An application has at most one bean of
 * this type. It may be called by many threads at the same time, and may block.
 */
@FunctionalInterface
public interface RejectionResponseCustomizer {

    /**
     * @param rejection a {@link RateLimitExceededException}, a {@link io.limiter.LimiterBackendException} or a
     *     {@link io.limiter.spring.key.MissingLimitKeyException}
     * @param response the response according to the settings under {@code limiter.web}
     * @return that response or another. If it throws, the request is answered with the given one, and the log says why.
     */
    RejectionResponse customize(RuntimeException rejection, RejectionResponse response);
}
