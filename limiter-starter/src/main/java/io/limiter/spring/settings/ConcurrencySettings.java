package io.limiter.spring.settings;

import io.limiter.algorithm.ConcurrencyLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a concurrency limit. {@code null} where they are not set.
 *
 * @param limit most permits held at the same time
 * @param lease how long a permit of a crashed instance is held
 * @param timeout how long a call waits for permits
 */
public record ConcurrencySettings(
        @Nullable Integer limit,
        @Nullable Duration lease,
        @Nullable Duration timeout) implements KindSettings {

    @Override
    public LimitKind kind() {
        return LimitKind.CONCURRENT;
    }

    @Override
    public ConcurrencySettings overriddenBy(LimitSettings configured) {
        return new ConcurrencySettings(
                LimitSettings.first(configured.limit(), limit),
                LimitSettings.first(configured.lease(), lease),
                LimitSettings.first(configured.timeout(), timeout));
    }

    @Override
    public ConcurrencyLimit toLimit() {
        return ConcurrencyLimit.of(LimitSettings.required("limit", limit))
                .withLeaseTime(LimitSettings.required("lease", lease));
    }

    @Override
    public Duration callTimeout() {
        return timeout == null ? Duration.ZERO : timeout;
    }
}
