package io.limiter.algorithm;

import io.limiter.step.LimitStep;

/** A limit with which limiters are built: a {@link Limit}, whose permits are spent, or a {@link ConcurrencyLimit}, whose permits are held. */
public sealed interface AnyLimit permits Limit, ConcurrencyLimit {

    /** The most permits that can be granted together. */
    long capacity();

    /** The step that decides, each time the same one or an equal one. */
    LimitStep<?> asStep();
}
