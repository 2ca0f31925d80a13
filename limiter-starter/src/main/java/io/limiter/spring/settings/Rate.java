package io.limiter.spring.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rate of a token bucket or a leaky bucket.
 *
 * @param permits in each period; {@code null} if not set
 * @param per the period; {@code null} for a second
 */
public record Rate(@Nullable Double permits, @Nullable Duration per) {

    Rate overriddenBy(LimitSettings configured) {
        return new Rate(LimitSettings.first(configured.rate(), permits), LimitSettings.first(configured.per(), per));
    }

    /** @throws IllegalArgumentException if the rate is not set */
    double permitsPerSecond() {
        double rate = LimitSettings.required("rate", permits);
        return per == null ? rate : rate / (per.toNanos() / 1e9);
    }
}
