package io.limiter.spring.actuate;

import io.limiter.LimiterStatistics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All limits.
 *
 * @param redis how long calls to Redis took, in milliseconds
 * @param sizes {@code null} if the factory has no statistics
 */
public record LimitersDescription(
        List<LimitDescription> limits,
        CallTimes.Summary redis,
        @Nullable Sizes sizes) {

    /**
     * What a factory holds.
     *
     * @param cachedRejections those that are still valid
     * @param liveLeases of concurrency limits
     * @param queuedRequests that wait to be sent to Redis
     */
    public record Sizes(int cachedRejections, int liveLeases, int queuedRequests) {

        static Sizes of(LimiterStatistics statistics) {
            return new Sizes(statistics.cachedRejections(), statistics.liveLeases(), statistics.queuedRequests());
        }
    }
}
