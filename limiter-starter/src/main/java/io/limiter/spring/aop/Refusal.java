package io.limiter.spring.aop;

import io.limiter.RateLimitExceededException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A call that a limit refused, for its caller to hear. */
record Refusal(BoundLimit limit, RateLimitExceededException exception) {

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
        limit.answersInstead(exception.decision());
        return fallback.answer(call, exception.decision());
    }
}
