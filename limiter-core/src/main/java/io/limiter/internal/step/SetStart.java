package io.limiter.internal.step;

/**
 * What the limiters of a set are made of, which callers do not see.
 *
 * @param <S> the type of the set
 */
public interface SetStart<S> {

    /**
     * A set of this one alone, to start with.
     *
     * @param permits how many it takes for each permit of the set, at least 1
     */
    S toSet(long permits);
}
