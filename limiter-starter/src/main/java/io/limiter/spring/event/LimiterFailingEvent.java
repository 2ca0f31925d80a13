package io.limiter.spring.event;

import io.limiter.FailingLimiter;

/**
 * A limiter fails until somebody does something; see {@link io.limiter.LimiterListener#limiterFailing}.
 *
 * @param limiter which, and why
 */
public record LimiterFailingEvent(FailingLimiter limiter) {}
