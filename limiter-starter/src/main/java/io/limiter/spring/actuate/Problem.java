package io.limiter.spring.actuate;

/**
 * Why a request of an operator has no other answer.
 *
 * @param problem with what to do about it
 */
public record Problem(String problem) {}
