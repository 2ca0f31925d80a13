package io.limiter.spring.check;

import io.limiter.RateLimitExceededException;

/**
 * Why a check does not let a call go on.
 *
 * @param limit the one that rejects, of several the one that does so for longest
 * @param exception for a caller who is answered by no fallback
 * @param repeated whether an earlier check has rejected the call already, which has logged and counted it
 */
public record Rejection(CheckedLimit limit, RateLimitExceededException exception, boolean repeated) {}
