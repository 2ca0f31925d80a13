package io.limiter.spring.internal.check;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;

/**
 * The rejection of a call.
 *
 * @param limit the one that rejects; of several the one with the longest retry-after
 * @param exception what the caller gets
 * @param repeated whether an earlier check has rejected the call, and has logged and counted that
 */
public record Rejection(CallLimit limit, RateLimitExceededException exception, boolean repeated) {

    public Decision decision() {
        return exception.decision();
    }
}
