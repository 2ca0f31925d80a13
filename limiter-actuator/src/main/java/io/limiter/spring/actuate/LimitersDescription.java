package io.limiter.spring.actuate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All limits.
 *
 * @param redis durations of calls to Redis, in milliseconds
 * @param sizes {@code null} if the factory has no statistics
 */
public record LimitersDescription(
        List<LimitDescription> limits,
        CallTimes.Summary redis,
        @Nullable Sizes sizes) {

    /**
     * The sizes of a factory's caches and queues.
     *
     * @param cachedRejections valid entries of the rejection cache
     * @param liveLeases leases of concurrency limits
     * @param queuedRequests requests that wait to be sent to Redis
     */
    public record Sizes(int cachedRejections, int liveLeases, int queuedRequests) {}
}
