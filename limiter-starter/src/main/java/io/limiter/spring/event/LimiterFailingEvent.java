package io.limiter.spring.event;

import io.limiter.FailingLimiter;

/**
 * A limiter has a permanent failure; see {@link io.limiter.LimiterListener#limiterFailing}.
 *
 * @param limiter with its failure
 */
public record LimiterFailingEvent(FailingLimiter limiter) {}
