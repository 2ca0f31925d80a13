package io.limiter.spring.event;

import java.time.Duration;

/**
 * Redis has recovered; see {@link io.limiter.LimiterListener#backendUp}.
 *
 * @param downtime how long it was unavailable
 */
public record LimiterBackendUpEvent(Duration downtime) {}
