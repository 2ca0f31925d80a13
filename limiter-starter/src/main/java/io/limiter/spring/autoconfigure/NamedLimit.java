package io.limiter.spring.autoconfigure;

import io.limiter.FailurePolicy;
import io.limiter.spring.aop.InvalidSettingException;
import io.limiter.spring.aop.LimitSettings;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationUnit;

/**
 * The settings of the limits of one name; those that are not set are left to the annotation. Durations that are plain
 * numbers are seconds, as in the annotations.
 *
 * @param kind Which kind of limit: token-bucket, fixed-window, sliding-log, sliding-counter, leaky-bucket, leaky-queue or
 *     concurrent.
 * @param rate Permits per second, of a token bucket or a leaky one.
 * @param burst For how long a token bucket keeps unused permits.
 * @param warmUp How long a cold token bucket takes to come up to its rate.
 * @param timeout How long a call of a token bucket or a concurrency limit waits for its permits.
 * @param expire How long an unused token bucket is kept at the least.
 * @param leasePermits How many permits of a token bucket an instance may take ahead; 0 for none.
 * @param leaseTime How long an instance keeps permits that it took ahead.
 * @param limit The most permits in a window; what a leaky bucket holds, how many wait in a leaky queue, or how many
 *     calls are under way at a time.
 * @param period The length of a window.
 * @param zone To whose clocks a fixed window is aligned.
 * @param lease After how long the place of a crashed instance comes back under a concurrency limit.
 * @param enforce Whether the limit refuses anybody.
 * @param failurePolicy What the limit answers when Redis does not decide; what limiter.failure.policy says, if not set.
 * @param failureShare The share of the limit that each instance decides under when Redis does not, more than 0 and at most
 *     1; only with the policy local, which it stands for if there is none.
 */
record NamedLimit(
        @Nullable String kind,
        @Nullable Double rate,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration burst,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration warmUp,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration timeout,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration expire,
        @Nullable Integer leasePermits,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration leaseTime,
        @Nullable Integer limit,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration period,
        @Nullable ZoneId zone,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration lease,
        @Nullable Boolean enforce,
        FailurePolicy.@Nullable Action failurePolicy,
        @Nullable Double failureShare) {

    private static final Duration LONGEST = Duration.ofDays(1000);

    /**
     * Checked and as the annotations are.
     *
     * @param property what the names of the settings start with
     * @throws InvalidSettingException naming the setting that is out of its range
     */
    LimitSettings settings(String property) {
        if (rate != null) {
            Range.check(property + ".rate", rate, 1e-8, 1e9);
        }
        check(property + ".burst", burst, Duration.ofNanos(1), LONGEST);
        check(property + ".warm-up", warmUp, Duration.ofNanos(1000), LONGEST);
        check(property + ".timeout", timeout, Duration.ZERO, LONGEST);
        check(property + ".expire", expire, Duration.ofMillis(1), LONGEST);
        if (leasePermits != null) {
            Range.check(property + ".lease-permits", leasePermits, 0, 1_000_000_000);
        }
        check(property + ".lease-time", leaseTime, Duration.ofMillis(1), Duration.ofHours(1));
        if (limit != null) {
            Range.check(property + ".limit", limit, 1, Integer.MAX_VALUE);
        }
        check(property + ".lease", lease, Duration.ofMillis(100), LONGEST);
        check(property + ".period", period, Duration.ofMillis(1), LONGEST);
        return settings(burst == null ? null : burst.toSeconds() + burst.getNano() / 1e9, property);
    }

    private LimitSettings settings(@Nullable Double burstSeconds, String property) {
        FailurePolicy failures = FailurePolicyProperty.policy(
                property + ".failure-policy", failurePolicy, property + ".failure-share", failureShare);
        try {
            return new LimitSettings(
                    kind,
                    rate,
                    burstSeconds,
                    warmUp,
                    timeout,
                    expire,
                    leasePermits,
                    leaseTime,
                    limit,
                    period,
                    zone,
                    lease,
                    enforce,
                    failures);
        } catch (IllegalArgumentException e) {
            String problem = property + "." + e.getMessage();
            // It begins with the name of the setting.
            throw new InvalidSettingException(
                    problem.substring(0, problem.indexOf(' ', property.length())), problem, e);
        }
    }

    private static void check(String setting, @Nullable Duration value, Duration min, Duration max) {
        if (value != null) {
            Range.check(setting, value, min, max);
        }
    }
}
