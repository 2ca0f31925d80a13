package io.limiter.spring.settings;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Limit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The settings of a limit of one kind, as an annotation or configuration gives them. */
public sealed interface KindSettings
        permits TokenBucketSettings, WindowSettings, LeakyBucketSettings, ConcurrencySettings {

    LimitKind kind();

    /** These settings, replaced by those that are set in configuration. */
    KindSettings overriddenBy(LimitSettings configured);

    /** @throws IllegalArgumentException if a setting is missing, out of its range, or without effect beside another */
    Limit<?> toLimit();

    /** How an instance prefetches permits; {@code null} if it does not. */
    default @Nullable PrefetchTerms prefetch() {
        return null;
    }

    /** How long a call waits for permits. */
    default Duration callTimeout() {
        return Duration.ZERO;
    }
}
