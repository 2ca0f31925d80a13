package io.limiter.spring.event;

import io.limiter.LimiterBackendException;

/**
 * Redis is taken to be away; see {@link io.limiter.LimiterListener#backendDown}.
 *
 * @param cause the last failure
 */
public record LimiterBackendDownEvent(LimiterBackendException cause) {}
