package io.limiter.spring.aop;

import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import java.util.OptionalLong;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that a limit refused, for its caller to hear.
 *
 * @param repeated whether it was refused before, and counted then
 */
record Refusal(BoundLimit limit, RateLimitExceededException exception, boolean repeated) {

    private static final String SECONDS = "{0}";

    /**
     * What is thrown for a refusal.
     *
     * @param message empty for the default, which also takes the place of one that names the seconds to wait where waiting
     *     does not help
     */
    static RateLimitExceededException exceeded(String whose, Decision decision, String message) {
        OptionalLong seconds = decision.retryAfterSeconds();
        if (message.isEmpty() || seconds.isEmpty() && message.contains(SECONDS)) {
            return new RateLimitExceededException(whose, decision);
        }
        String told = seconds.isEmpty() ? message : message.replace(SECONDS, Long.toString(seconds.getAsLong()));
        return new RateLimitExceededException(whose, decision, told);
    }

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
