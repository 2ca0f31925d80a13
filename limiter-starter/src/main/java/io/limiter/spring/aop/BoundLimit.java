package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import io.limiter.spring.key.CallKey;
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
            String whose = owner == null ? limiter.name() : owner;
            throw message.isEmpty()
                    ? new RateLimitExceededException(whose, decision)
                    : new RateLimitExceededException(whose, decision, message);
        }
    }
}
