package io.limiter.spring.event;

import io.limiter.LimiterBackendException;

/**
 * Redis is unavailable; see {@link io.limiter.LimiterListener#backendDown}.
 *
 * @param cause the last failure
 */
public record LimiterBackendDownEvent(LimiterBackendException cause) {}
