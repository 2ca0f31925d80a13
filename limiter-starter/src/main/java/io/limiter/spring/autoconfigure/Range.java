package io.limiter.spring.autoconfigure;

import io.limiter.spring.aop.InvalidSettingException;
import java.time.Duration;

/** Checks of settings, whose messages name the setting, the allowed range and the value. */
final class Range {

    private Range() {}

    static void check(String setting, long value, long min, long max) {
        if (value < min || value > max) {
            throw new InvalidSettingException(
                    setting, setting + " must be between " + min + " and " + max + ", was " + value);
        }
    }

    static void check(String setting, double value, double min, double max) {
        // Written so that NaN fails.
        if (!(value >= min && value <= max)) {
            throw new InvalidSettingException(
                    setting, setting + " must be between " + min + " and " + max + ", was " + value);
        }
    }

    static void check(String setting, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new InvalidSettingException(
                    setting, setting + " must be between " + min + " and " + max + " (ISO-8601), was " + value);
        }
    }
}
