package io.limiter.spring.check;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The decision of one limit in a check.
 *
 * @param decision {@code null} if a concurrency limit granted, because it has no more to show
 */
public record LimitDecision(
        PermitRequest request, Limit<?> limit, @Nullable Decision decision) {

    public boolean granted() {
        return decision == null || decision.granted();
    }
}
