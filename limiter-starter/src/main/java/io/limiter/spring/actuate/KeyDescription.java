package io.limiter.spring.actuate;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.spring.metrics.SourceNames;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a key has. Times are in seconds; {@code null} stands for never.
 *
 * @param granted whether one permit would be granted now
 * @param remaining whole permits that are there
 * @param retryAfter when one would be granted; 0 if now
 * @param resetAfter when all permits are there, if nobody asks meanwhile
 * @param source who says so: {@code redis}, or the failure policy, which does not know what is in Redis
 * @param numbers the limit's numbers by which it was asked: those that were built last
 */
public record KeyDescription(
        boolean granted,
        long limit,
        long remaining,
        @Nullable Double retryAfter,
        @Nullable Double resetAfter,
        String source,
        Map<String, Object> numbers) {

    /**
     * @param local whether the backend is this process
     */
    static KeyDescription of(Decision peek, Limit<?> limit, boolean local) {
        return new KeyDescription(
                peek.granted(),
                peek.limit(),
                peek.remaining(),
                seconds(peek.retryAfterMicros()),
                seconds(peek.resetAfterMicros()),
                SourceNames.of(peek.source(), local),
                LimitNumbers.of(limit));
    }

    private static @Nullable Double seconds(long micros) {
        return micros == Decision.NEVER_MICROS ? null : micros / 1e6;
    }
}
