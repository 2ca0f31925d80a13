package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.key.CallKey;
import io.limiter.spring.key.spel.CallCondition;
import io.limiter.spring.key.spel.CallCost;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limit that one annotation declares for one method, parsed and checked. It needs no bean, because it is parsed while
 * beans are created.
 *
 * @param where the annotation and the method, for messages
 * @param timeout how long a call waits for permits
 * @param prefetch how an instance prefetches permits; {@code null} if it does not
 * @param hashTag the hash tag of the permits in a Redis Cluster; {@code null} if the key decides it
 * @param resolver the name of the bean that chooses the limit of each call; empty if it is always this one
 * @param message of rejections; empty for the default
 * @param fallback answers rejected calls; {@code null} if they throw
 * @param enforced whether the limit rejects; otherwise it is in shadow mode
 * @param failurePolicy {@code null} for the application's
 */
record DeclaredLimit(
        String where,
        LimitName name,
        Limit<?> limit,
        Duration timeout,
        @Nullable PrefetchTerms prefetch,
        Permits permits,
        LimitType type,
        CallKey key,
        @Nullable CallKey hashTag,
        String resolver,
        String message,
        @Nullable Fallback fallback,
        boolean enforced,
        @Nullable FailurePolicy failurePolicy) {

    /** Whether permits are held until the call is done, and not spent. */
    boolean isHeld() {
        return limit instanceof ConcurrencyLimit;
    }

    /** The factory of its limiters, without {@link #prefetch}, which a resolver's limits do not have. */
    LimiterFactory factory(LimiterFactory limiters) {
        LimiterFactory prefixed = limiters.withPrefix(name.prefix());
        LimiterFactory failing = failurePolicy == null ? prefixed : prefixed.withFailurePolicy(failurePolicy);
        // Listeners are for rejections, and in shadow mode there are none.
        return enforced ? failing : failing.withoutListeners();
    }

    /**
     * How many permits a call takes.
     *
     * @param fixed where there is no cost, at least 1
     * @param cost {@code null} if all calls take the fixed number
     * @param condition {@code null} if the limit applies to all calls
     */
    record Permits(
            int fixed, @Nullable CallCost cost, @Nullable CallCondition condition) {

        /**
         * 0 if the call skips the limit.
         *
         * @throws io.limiter.spring.key.InvalidLimitArgumentException if the arguments make no cost or condition
         */
        int of(@Nullable Object[] arguments) {
            if (condition != null && !condition.of(arguments)) {
                return 0;
            }
            return cost == null ? fixed : cost.of(arguments);
        }
    }
}
