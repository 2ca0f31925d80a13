package io.limiter.spring.internal.actuate;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All limits.
 *
 * @param redis durations of calls to Redis, in milliseconds
 * @param fallback {@code null} if all limits are in process
 * @param sizes {@code null} if the factory has no statistics
 */
public record LimitersDescription(
        List<LimitDescription> limits,
        CallTimes.Summary redis,
        @Nullable Fallback fallback,
        @Nullable Sizes sizes) {

    /**
     * How this instance decides alone while Redis is unavailable, with the default failure policy.
     *
     * @param policy the default failure policy, as properties have it
     * @param instances that were recently counted, including this one
     * @param share of each limit under {@code LOCAL}; {@code null} under any other policy
     */
    public record Fallback(
            String policy, int instances, @Nullable Double share) {

        /** {@code null} if all limits are in process. */
        public static @Nullable Fallback of(@Nullable LimiterFactory factory) {
            if (factory instanceof RedisRateLimiterFactory redis && !redis.isLocal()) {
                FailurePolicy policy = redis.failurePolicy();
                int instances = redis.instances();
                @Nullable Double share = policy.action() == FailurePolicy.Action.LOCAL ? policy.share(instances) : null;
                return new Fallback(policy.toString(), instances, share);
            }
            return null;
        }
    }

    /**
     * The sizes of a factory's caches and queues.
     *
     * @param cachedRejections valid entries of the rejection cache
     * @param liveLeases leases of concurrency limits
     * @param queuedRequests requests that wait to be sent to Redis
     */
    public record Sizes(int cachedRejections, int liveLeases, int queuedRequests) {}
}
