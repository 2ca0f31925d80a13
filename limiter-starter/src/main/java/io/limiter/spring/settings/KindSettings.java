package io.limiter.spring.settings;

import io.limiter.algorithm.Limit;
import java.time.Duration;

/** The settings of a limit of one kind, as an annotation or configuration gives them. */
public sealed interface KindSettings
        permits TokenBucketSettings, WindowSettings, LeakyBucketSettings, ConcurrencySettings {

    LimitKind kind();

    /** These settings, replaced by those that are set in configuration. */
    KindSettings overriddenBy(LimitSettings configured);

    /** @throws IllegalArgumentException if a setting is missing, out of its range, or without effect beside another */
    Limit<?> toLimit();

    /** How long a call waits for permits. */
    default Duration callTimeout() {
        return Duration.ZERO;
    }
}
