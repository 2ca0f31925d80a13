package io.limiter.spring.check;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import org.jspecify.annotations.Nullable;

/**
 * What one limit decided in a check.
 *
 * @param decision {@code null} if the limit granted without saying more, as concurrency limits do
 */
public record LimitDecision(
        PermitRequest request, Limit<?> limit, @Nullable Decision decision) {

    public boolean granted() {
        return decision == null || decision.granted();
    }
}
