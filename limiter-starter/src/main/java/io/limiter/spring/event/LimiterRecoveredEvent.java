package io.limiter.spring.event;

import io.limiter.FailingLimiter;

/**
 * Redis decides again for a limiter that has failed; see {@link io.limiter.LimiterListener#limiterRecovered}.
 *
 * @param limiter as it was before
 */
public record LimiterRecoveredEvent(FailingLimiter limiter) {}
