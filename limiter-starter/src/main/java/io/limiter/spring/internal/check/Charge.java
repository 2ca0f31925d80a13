package io.limiter.spring.internal.check;

import java.util.function.ToLongFunction;

/**
 * What a limit charges a call once its outcome is known.
 *
 * @param byStatus whether it is known with the status of the response, rather than when the call returns
 * @param permits how many permits stay charged, at least 0; what it throws leaves them charged as they were taken
 */
public record Charge(boolean byStatus, ToLongFunction<CallOutcome> permits) {

    /** Makes the charge of each call. */
    @FunctionalInterface
    public interface Source {

        /**
         * Reads the facts that the charge needs, because the request may be over when the outcome is known.
         *
         * @param taken how many permits the call takes
         * @throws io.limiter.spring.key.MissingLimitKeyException if there is no request that has them
         */
        Charge of(Facts facts, long taken);
    }
}
