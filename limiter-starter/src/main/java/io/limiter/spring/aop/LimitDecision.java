package io.limiter.spring.aop;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import org.jspecify.annotations.Nullable;

/**
 * What a limit answered to one call.
 *
 * @param decision {@code null} if it granted and says no more, as the limits of calls at the same time do
 */
public record LimitDecision(
        LimitAsked asked, Limit<?> limit, @Nullable Decision decision) {

    public boolean granted() {
        return decision == null || decision.granted();
    }
}
