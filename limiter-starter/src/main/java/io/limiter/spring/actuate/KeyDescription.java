package io.limiter.spring.actuate;

import io.limiter.algorithm.Decision;
import org.jspecify.annotations.Nullable;

/**
 * What a key has. Times are in seconds; {@code null} stands for never.
 *
 * @param granted whether one permit would be granted now
 * @param remaining whole permits that are there
 * @param retryAfter when one would be granted; 0 if now
 * @param resetAfter when all permits are there, if nobody asks meanwhile
 */
public record KeyDescription(
        boolean granted,
        long limit,
        long remaining,
        @Nullable Double retryAfter,
        @Nullable Double resetAfter) {

    static KeyDescription of(Decision peek) {
        return new KeyDescription(
                peek.granted(),
                peek.limit(),
                peek.remaining(),
                seconds(peek.retryAfterMicros()),
                seconds(peek.resetAfterMicros()));
    }

    private static @Nullable Double seconds(long micros) {
        return micros == Decision.NEVER_MICROS ? null : micros / 1e6;
    }
}
