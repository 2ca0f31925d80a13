package io.limiter.spring.event;

import io.limiter.FailingLimiter;

/**
 * A limiter has recovered from a permanent failure; see {@link io.limiter.LimiterListener#limiterRecovered}.
 *
 * @param limiter with its last failure
 */
public record LimiterRecoveredEvent(FailingLimiter limiter) {}
