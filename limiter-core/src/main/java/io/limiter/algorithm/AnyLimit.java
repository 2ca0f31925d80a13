package io.limiter.algorithm;

import io.limiter.step.LimitStep;

/** What limiters are built with: a {@link Limit}, whose permits are spent, or a {@link ConcurrencyLimit}, whose permits are held. */
public sealed interface AnyLimit permits Limit, ConcurrencyLimit {

    /** The most permits that can be granted at once. */
    long capacity();

    /** How it decides; each time the same step, or an equal one. */
    LimitStep<?> asStep();
}
