package io.limiter.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * The result of one request: the state after it, and the decision.
 *
 * @param state the state after the request; the same object as before if there is nothing to save
 * @param decision on the request
 * @param <S> the type of the state
 */
public record Step<S>(@Nullable S state, Decision decision) {}
