package io.limiter.spring.settings;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a window: fixed, a sliding log or a sliding counter. {@code null} where they are not set.
 *
 * @param limit most permits in a window
 * @param zone time zone whose midnight a fixed window is aligned to; {@code null} if a window starts with its first request
 */
public record WindowSettings(
        LimitKind kind,
        @Nullable Integer limit,
        @Nullable Duration period,
        @Nullable ZoneId zone) implements KindSettings {

    /** The settings of a fixed window. */
    public WindowSettings(int limit, Duration period, @Nullable ZoneId zone) {
        this(LimitKind.FIXED_WINDOW, limit, period, zone);
    }

    @Override
    public WindowSettings overriddenBy(LimitSettings configured) {
        return new WindowSettings(
                kind,
                LimitSettings.first(configured.limit(), limit),
                LimitSettings.first(configured.period(), period),
                LimitSettings.first(configured.zone(), zone));
    }

    @Override
    public Limit<?> toLimit() {
        int permits = LimitSettings.required("limit", limit);
        Duration length = LimitSettings.required("period", period);
        return switch (kind) {
            case SLIDING_LOG -> SlidingLog.of(permits, length);
            case SLIDING_COUNTER -> SlidingCounter.of(permits, length);
            default -> new FixedWindow(permits, length, zone);
        };
    }
}
