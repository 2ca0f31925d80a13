package io.limiter.algorithm;

import io.limiter.step.LimitStep;

/**
 * A limit definition: an algorithm and its parameters, as an immutable value with {@code equals}. Its permits are spent; they come
 * back with time.
 *
 * <p>What a limiter is built with is mostly one of {@link TokenBucket}, {@link FixedWindow}, {@link SlidingCounter} and {@link
 * SlidingLog}. A limit of one's own implements this and a {@link LimitStep}, best in one class, which returns itself as its step.
 */
public non-sealed interface Limit extends AnyLimit {

    @Override
    long capacity();

    @Override
    LimitStep<?> asStep();
}
