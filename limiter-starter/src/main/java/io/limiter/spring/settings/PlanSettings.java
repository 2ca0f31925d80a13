package io.limiter.spring.settings;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationUnit;

/**
 * The settings of a plan of a limit in configuration. Those that are not set are the limit's.
 *
 * @param rate permits of a token bucket or a leaky bucket per second, or per period
 * @param per the period that rate is for
 * @param burst capacity of a token bucket in seconds
 * @param capacity capacity of a token bucket in permits, instead of burst
 * @param limit most permits in a window; capacity of a leaky bucket, most waiting calls of a leaky queue, or most
 *     concurrent calls
 * @param period length of a window
 * @param timeout how long a call waits for permits of a token bucket or of a concurrency limit
 */
public record PlanSettings(
        @Nullable Double rate,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration per,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration burst,
        @Nullable Integer capacity,
        @Nullable Integer limit,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration period,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration timeout) {

    /** As settings of a limit. */
    LimitSettings ofLimit() {
        return new LimitSettings(
                null, rate, per, burst, capacity, null, timeout, null, null, null, limit, period, null, null, null,
                null, null, null, null);
    }
}
