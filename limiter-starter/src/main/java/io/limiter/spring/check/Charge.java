package io.limiter.spring.check;

import java.util.function.ToLongFunction;

/**
 * What a limit charges a call once its outcome is known.
 *
 * @param byStatus whether it is known with the status of the response, rather than when the call returns
 * @param permits how many permits stay charged, at least 0; what it throws leaves them charged as they were taken
 */
public record Charge(boolean byStatus, ToLongFunction<Outcome> permits) {}
