package io.limiter.spring.actuate;

import io.limiter.LimiterStatistics;

/**
 * What a factory holds.
 *
 * @param knownRefusals in the deny cache, and still good
 * @param liveLeases of concurrency limits
 * @param queuedRequests that wait to be sent to Redis
 */
public record Sizes(int knownRefusals, int liveLeases, int queuedRequests) {

    static Sizes of(LimiterStatistics statistics) {
        return new Sizes(statistics.knownRefusals(), statistics.liveLeases(), statistics.queuedRequests());
    }
}
