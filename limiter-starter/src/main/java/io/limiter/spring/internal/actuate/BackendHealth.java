package io.limiter.spring.internal.actuate;

import io.limiter.BackendState;
import io.limiter.FailingLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The health of the limiters.
 *
 * @param status {@code UP}; {@code DEGRADED} while the failure policy decides instead of Redis, for all limiters or for some, also
 *     if Redis did not make a tenth of the decisions of the last minute, whatever the cause; {@code DOWN} if it decides for all and throws; one of several masters of a Cluster does not make it {@code DOWN}
 */
public record BackendHealth(String status, Map<String, Object> details) {

    static final String UP = "UP";
    static final String DEGRADED = "DEGRADED";
    static final String DOWN = "DOWN";

    /** From which share of decisions that Redis did not make the limits are no longer those of the fleet. */
    private static final double MOST_UNDECIDED = 0.1;

    public static BackendHealth of(LimiterFactory factory) {
        return factory instanceof RedisRateLimiterFactory redis && !redis.isLocal()
                ? of(redis.backendState(), redis.failurePolicy())
                : new BackendHealth(UP, Map.of());
    }

    static BackendHealth of(BackendState state, FailurePolicy policy) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("since", state.since().toString());
        details.put("policy", policy.toString());
        if (!state.failing().isEmpty()) {
            details.put("failing", failing(state.failing()));
        }
        if (state.undecided() > 0) {
            details.put("undecided", Math.ceil(1000 * state.undecided()) / 1000);
        }
        if (state.up()) {
            LimiterBackendException why = state.undecidedBy();
            if (state.undecided() > 0 && why != null) {
                details.put("problem", why.problem());
            }
            boolean decides = state.failing().isEmpty() && state.undecided() < MOST_UNDECIDED;
            return new BackendHealth(decides ? UP : DEGRADED, details);
        }
        state.lastFailure().ifPresent(failure -> details.put("problem", failure.problem()));
        if (state.nodes() > 1) {
            details.put("nodes", state.nodes());
            details.put("unavailableNodes", state.unavailableNodes());
        }
        boolean down = state.availability() == 0 && policy.action() == FailurePolicy.Action.THROW;
        return new BackendHealth(down ? DOWN : DEGRADED, details);
    }

    /** By limiter, without keys, because they may identify people. */
    private static Map<String, Map<String, String>> failing(List<FailingLimiter> failing) {
        Map<String, Map<String, String>> byLimiter = new LinkedHashMap<>();
        for (FailingLimiter each : failing) {
            Map<String, String> details = new LinkedHashMap<>();
            details.put("since", each.since().toString());
            details.put("problem", each.failure().problem());
            details.put("remedy", each.failure().remedy().orElse("see the log"));
            byLimiter.put(each.limiter(), details);
        }
        return byLimiter;
    }
}
