package io.limiter.algorithm;

import io.limiter.step.LimitStep;

/**
 * A limit definition, which is an algorithm and its parameters, as an immutable value with {@code equals}. Its permits are spent, and come back
 * with time.
 *
 * <p>Most limiters are built with a {@link TokenBucket}, {@link FixedWindow}, {@link SlidingCounter} or {@link SlidingLog}. A limit of your own
 * implements this interface and {@link LimitStep}, preferably in one class, which returns itself as its step.
 */
public non-sealed interface Limit extends AnyLimit {

    @Override
    long capacity();

    @Override
    LimitStep<?> asStep();
}
