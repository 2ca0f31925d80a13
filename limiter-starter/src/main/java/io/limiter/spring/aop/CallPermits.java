package io.limiter.spring.aop;

import io.limiter.spring.key.spel.CallCondition;
import io.limiter.spring.key.spel.CallCost;
import org.jspecify.annotations.Nullable;

/**
 * How many permits the calls of a method take.
 *
 * @param fixed where there is no cost, at least 1
 * @param cost {@code null} if all calls take as many
 * @param condition {@code null} if the limit applies to all calls
 */
record CallPermits(
        int fixed, @Nullable CallCost cost, @Nullable CallCondition condition) {

    /**
     * 0 if there is nothing to ask for.
     *
     * @throws io.limiter.spring.key.InvalidLimitArgumentException if the arguments do not tell
     */
    int of(@Nullable Object[] arguments) {
        if (condition != null && !condition.of(arguments)) {
            return 0;
        }
        return cost == null ? fixed : cost.of(arguments);
    }
}
