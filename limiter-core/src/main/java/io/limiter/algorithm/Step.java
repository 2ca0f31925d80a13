package io.limiter.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * What one request makes of a limit's state.
 *
 * @param state the state after the request; the very object the step was given if there is nothing to save
 * @param decision the answer to the request
 * @param <S> the type of the state
 */
public record Step<S>(@Nullable S state, Decision decision) {}
