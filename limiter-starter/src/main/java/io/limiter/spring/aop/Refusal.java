package io.limiter.spring.aop;

import io.limiter.RateLimitExceededException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that a limit refused, for its caller to hear.
 *
 * @param repeated whether it was refused before, and counted then
 */
record Refusal(BoundLimit limit, RateLimitExceededException exception, boolean repeated) {

    /**
     * What the caller gets instead.
     *
     * @throws RateLimitExceededException if there is no fallback
     */
    @Nullable
    Object answer(MethodInvocation call) throws Throwable {
        Fallback fallback = limit.declared().onRefusal().fallback();
        if (fallback == null) {
            throw exception;
        }
        if (!repeated) {
            limit.answersInstead(exception.decision());
        }
        return fallback.answer(call, exception.decision());
    }
}
