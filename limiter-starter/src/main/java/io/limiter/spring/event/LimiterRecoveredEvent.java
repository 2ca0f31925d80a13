package io.limiter.spring.event;

import io.limiter.FailingLimiter;

/**
 * A limiter has recovered from a permanent failure; see {@link io.limiter.LimiterListener#limiterRecovered}.
 *
 * @param limiter with the failure that it had
 */
public record LimiterRecoveredEvent(FailingLimiter limiter) {}
