package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.key.CallKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A declared concurrency limit with the limiter that carries it out.
 *
 * @param message empty for the default
 */
record BoundConcurrency(ConcurrencyLimiter limiter, Duration timeout, CallKey key, String message) {

    static BoundConcurrency of(LimiterFactory prefixed, DeclaredConcurrency declared) {
        return new BoundConcurrency(
                prefixed.build(declared.name(), declared.limit()),
                declared.timeout(),
                declared.key(),
                declared.message());
    }

    /**
     * Takes a place for one call.
     *
     * @throws RateLimitExceededException if there is none
     */
    Lease enter(@Nullable Object[] arguments) {
        String owner = key.of(arguments);
        try {
            return owner == null ? limiter.acquire(1, timeout) : limiter.acquire(owner, 1, timeout);
        } catch (RateLimitExceededException e) {
            throw message.isEmpty() ? e : new RateLimitExceededException(e.key(), e.decision(), message);
        }
    }
}
