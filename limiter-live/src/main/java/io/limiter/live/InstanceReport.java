package io.limiter.live;

import java.time.Instant;
import java.util.List;

/**
 * What one instance reports.
 *
 * @param instance its name
 * @param at when, by server time; reports older than 5 s are not shown
 * @param liveVersion {@link LiveLimits#version()} there
 * @param backendState {@link io.limiter.BackendState} there, as text
 * @param limits by prefix and name
 * @param bans the 100 longest that it knows
 */
public record InstanceReport(
        String instance,
        Instant at,
        long liveVersion,
        String backendState,
        List<LimitReport> limits,
        List<BannedKey> bans) {

    public InstanceReport {
        limits = List.copyOf(limits);
        bans = List.copyOf(bans);
    }
}
