package io.limiter.spring.internal.settings;

import io.limiter.FailurePolicy;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.parameters.LimitParameters;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Checks of settings. Each failure names the setting, the allowed range and the value. */
public final class SettingChecks {

    /** The longest duration of a setting. */
    public static final Duration LONGEST = Ranges.MAX_DURATION;

    private SettingChecks() {}

    /** @throws InvalidSettingException if the value is set and out of range; NaN is more than any maximum */
    public static <T extends Comparable<T>> void range(String setting, @Nullable T value, T min, T max) {
        if (value != null && (value.compareTo(min) < 0 || value.compareTo(max) > 0)) {
            throw new InvalidSettingException(setting, LimitParameters.outOfRange(value, min, max));
        }
    }

    /**
     * What a setting is parsed to, or builds.
     *
     * @throws InvalidSettingException naming the setting, or one below it that the parser names, if the parser throws an
     *     {@link IllegalArgumentException}
     */
    public static <T extends @Nullable Object> T named(String setting, String separator, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException e) {
            if (e instanceof InvalidSettingException named && named.setting().startsWith(setting)) {
                throw named;
            }
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

    /** @throws InvalidSettingException if one of the parameters is out of range, or has no effect on the kind */
    public static void parameters(String prefix, LimitParameters parameters) {
        parameters.problems().forEach((name, problem) -> {
            throw new InvalidSettingException(prefix + name, problem);
        });
    }
}
