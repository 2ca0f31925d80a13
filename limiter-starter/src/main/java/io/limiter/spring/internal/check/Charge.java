package io.limiter.spring.internal.check;

import io.limiter.spring.internal.web.usage.UsageReader;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a limit charges a call once its outcome is known.
 *
 * @param when its outcome is known
 * @param permits how many permits stay charged, at least 0; what it throws leaves them charged as they were taken
 * @param reader reads the response for it; {@code null} if it needs none
 */
public record Charge(
        When when,
        ToLongFunction<CallOutcome> permits,
        @Nullable UsageReader reader) {

    /** When the outcome of a call is known. */
    public enum When {
        /** When the call returns. */
        RETURN,
        /** With the status of the response. */
        STATUS,
        /** When the body of the response has ended. */
        BODY
    }

    public Charge(When when, ToLongFunction<CallOutcome> permits) {
        this(when, permits, null);
    }

    /** Makes the charge of each call. */
    @FunctionalInterface
    public interface Source {

        /**
         * Reads the facts that the charge needs, because the request may be over when the outcome is known.
         *
         * @param keys whose permits the call takes
         * @param taken how many permits it takes
         * @throws io.limiter.spring.key.MissingLimitKeyException if there is no request that has them
         */
        Charge of(Facts facts, List<String> keys, long taken);
    }
}
