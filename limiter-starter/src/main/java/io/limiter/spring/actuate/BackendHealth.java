package io.limiter.spring.actuate;

import io.limiter.BackendState;
import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How the limiters are, in the words of either Spring Boot's health contributors.
 *
 * @param status {@code UP}; {@code DEGRADED} while the failure policy decides instead of Redis; {@code DOWN} if that policy is
 *     to throw
 * @param details for whoever may see them
 */
record BackendHealth(String status, Map<String, Object> details) {

    static final String UP = "UP";
    static final String DEGRADED = "DEGRADED";
    static final String DOWN = "DOWN";

    static BackendHealth of(LimiterFactory factory) {
        return factory instanceof RedisRateLimiterFactory redis
                ? of(redis.backendState(), redis.failurePolicy())
                : new BackendHealth(UP, Map.of());
    }

    static BackendHealth of(BackendState state, FailurePolicy policy) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("since", state.since().toString());
        details.put("policy", policy.toString());
        if (state.up()) {
            return new BackendHealth(UP, details);
        }
        state.lastFailure().ifPresent(failure -> details.put("problem", failure.problem()));
        return new BackendHealth(policy.action() == FailurePolicy.Action.THROW ? DOWN : DEGRADED, details);
    }
}
