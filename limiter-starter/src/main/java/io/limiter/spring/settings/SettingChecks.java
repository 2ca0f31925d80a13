package io.limiter.spring.settings;

import io.limiter.FailurePolicy;
import io.limiter.FailurePolicy.Action;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks of settings. Each failure names the setting, what is allowed and the value. */
public final class SettingChecks {

    private SettingChecks() {}

    /** @throws InvalidSettingException if the value is out of range */
    public static void range(String setting, long value, long min, long max) {
        if (value < min || value > max) {
            throw outOfRange(setting, min, max, "", value);
        }
    }

    /** @throws InvalidSettingException if the value is set and out of range */
    static void range(String setting, @Nullable Integer value, int min, int max) {
        if (value != null) {
            range(setting, value.longValue(), min, max);
        }
    }

    /** @throws InvalidSettingException if the value is set and out of range, or no number */
    static void range(String setting, @Nullable Double value, double min, double max) {
        // Written so that NaN fails.
        if (value != null && !(value >= min && value <= max)) {
            throw outOfRange(setting, min, max, "", value);
        }
    }

    /** @throws InvalidSettingException if the value is set and out of range */
    public static void range(String setting, @Nullable Duration value, Duration min, Duration max) {
        if (value != null && (value.compareTo(min) < 0 || value.compareTo(max) > 0)) {
            throw outOfRange(setting, min, max, " (ISO-8601)", value);
        }
    }

    /**
     * The failure policy of two settings; {@code null} if neither is set. A share alone stands for the policy
     * {@code local}.
     *
     * @throws InvalidSettingException if the share is out of range, or has no effect with the policy
     */
    public static @Nullable FailurePolicy failurePolicy(
            String policySetting, @Nullable Action policy, String shareSetting, @Nullable Double share) {
        if (share == null) {
            return policy == null ? null : FailurePolicy.of(policy);
        }
        if (policy != null && policy != Action.LOCAL) {
            throw new InvalidSettingException(
                    shareSetting,
                    shareSetting + " has no effect with " + policySetting + " "
                            + policy.name().toLowerCase(Locale.ROOT) + ", only with local, was " + share);
        }
        try {
            return FailurePolicy.local(share);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(
                    shareSetting, shareSetting + " must be more than 0 and at most 1, was " + share, e);
        }
    }

    /**
     * Checks that a limit can grant permits at all.
     *
     * @param timeout how long a call waits for them
     * @throws IllegalArgumentException if a limit would never grant as many permits
     */
    public static void canBeGranted(int permits, Limit<?> limit, Duration timeout) {
        Request request = Request.peek(permits, timeout.toNanos() / 1000);
        // What an unused limit rejects, it always rejects.
        if (limit.step(null, 0, request).decision().granted()) {
            return;
        }
        String problem = "permits " + permits + " would never be granted: ";
        if (!(limit instanceof TokenBucket bucket)) {
            throw new IllegalArgumentException(problem + limit + " has at most " + limit.capacity()
                    + "; permits must be at most " + limit.capacity() + ", or the limit at least " + permits);
        }
        throw new IllegalArgumentException(
                problem + "rate " + bucket.permitsPerSecond() + "/s with a burst of " + bucket.burstSeconds()
                        + " s holds at most " + bucket.maxPermits() + " permits, and timeout " + timeout
                        + " is too short to wait for the rest; burst must be at least "
                        + permits / bucket.permitsPerSecond() + " s, or capacity at least " + permits);
    }

    private static InvalidSettingException outOfRange(
            String setting, Object min, Object max, String format, Object value) {
        return new InvalidSettingException(
                setting, setting + " must be between " + min + " and " + max + format + ", was " + value);
    }
}
