package io.limiter.spring.event;

import java.time.Duration;

/**
 * Redis decides again; see {@link io.limiter.LimiterListener#backendUp}.
 *
 * @param downtime since it was taken to be away
 */
public record LimiterBackendUpEvent(Duration downtime) {}
