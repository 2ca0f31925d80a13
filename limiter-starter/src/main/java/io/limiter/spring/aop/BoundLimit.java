package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import io.limiter.spring.key.CallKey;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A declared limit with the limiter that carries it out.
 *
 * @param message empty for the default
 */
record BoundLimit(Limiter limiter, int permits, CallKey key, String message) {

    /**
     * Takes the permits of one call.
     *
     * @throws RateLimitExceededException if they are refused
     */
    void take(@Nullable Object[] arguments) {
        String owner = key.of(arguments);
        Decision decision = owner == null ? limiter.decide(permits) : limiter.decide(owner, permits);
        if (!decision.granted()) {
            throw new RateLimitExceededException(owner == null ? limiter.name() : owner, decision, message(decision));
        }
    }

    /** For the caller, so it names neither limiter nor key. */
    private String message(Decision decision) {
        if (!message.isEmpty()) {
            return message;
        }
        OptionalLong seconds = decision.retryAfterSeconds();
        return seconds.isEmpty()
                ? "Too many requests"
                : "Too many requests, try again in " + seconds.getAsLong() + " s";
    }
}
