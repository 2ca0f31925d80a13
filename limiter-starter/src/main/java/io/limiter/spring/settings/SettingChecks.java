package io.limiter.spring.settings;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Checks of settings. Each failure names the setting, the allowed range and the value. */
public final class SettingChecks {

    /** The longest duration of a setting. */
    public static final Duration LONGEST = Duration.ofDays(1000);

    /** Of a call in a leaky queue without a timeout: until its turn. No setting can be as long. */
    public static final Duration UNTIL_ITS_TURN = LONGEST.plusNanos(1);

    private SettingChecks() {}

    /** @throws InvalidSettingException if the value is set and out of range; NaN is more than any maximum */
    public static <T extends Comparable<T>> void range(String setting, @Nullable T value, T min, T max) {
        if (value != null && (value.compareTo(min) < 0 || value.compareTo(max) > 0)) {
            throw new InvalidSettingException(
                    setting,
                    " must be between " + min + " and " + max + (value instanceof Duration ? " (ISO-8601)" : "")
                            + ", was " + value);
        }
    }

    /**
     * What a setting is parsed to, or builds.
     *
     * @throws InvalidSettingException naming the setting if the parser throws an {@link IllegalArgumentException}
     */
    public static <T extends @Nullable Object> T named(String setting, String separator, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(setting, separator + e.getMessage(), e);
        }
    }

    /**
     * The failure policy of a setting; {@code null} if it is not set, or empty.
     *
     * @throws InvalidSettingException if it names none
     */
    public static @Nullable FailurePolicy failurePolicy(String setting, @Nullable String policy) {
        return policy == null || policy.isEmpty() ? null : named(setting, " ", () -> FailurePolicy.parse(policy));
    }

    /**
     * Checks that a limit can grant permits at all.
     *
     * @param timeout how long a call waits for them
     * @throws IllegalArgumentException if a limit would never grant as many permits
     */
    static void canBeGranted(long permits, AnyLimit limit, Duration timeout) {
        Request request = Request.peek(permits, timeout.toNanos() / 1000);
        Verdict first = limit.asStep().step(null, 0, request).verdict();
        // What an unused limit rejects, it always rejects.
        if (first.isGranted()) {
            return;
        }
        String problem = "a cost of " + permits + " would never be granted: ";
        if (!(limit instanceof TokenBucket bucket)) {
            throw new IllegalArgumentException(problem + limit + " has at most " + limit.capacity()
                    + "; the cost must be at most " + limit.capacity() + ", or the limit at least " + permits);
        }
        if (bucket.whoWaits() == WhoWaits.NEXT_CALLER) {
            throw new IllegalArgumentException(problem + "at " + bucket.permitsPerSecond()
                    + "/s they take longer than can be reserved ahead, " + bucket.maxWait()
                    + ": lower the cost, or set a higher rate or a longer timeout");
        }
        throw new IllegalArgumentException(problem + "capacity must be at least "
                + (permits == 1 ? "1 permit" : permits + " permits") + " (at " + bucket.permitsPerSecond()
                + "/s a burst of " + permits / bucket.permitsPerSecond() + " s), or timeout at least "
                + first.waitMicros() / 1e6 + " s to wait for the rest; they were " + bucket.maxPermits() + " and "
                + timeout);
    }
}
