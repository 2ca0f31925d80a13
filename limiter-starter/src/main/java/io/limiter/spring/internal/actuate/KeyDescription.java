package io.limiter.spring.internal.actuate;

import io.limiter.step.Verdict;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a key. Times are in seconds, {@code null} for never.
 *
 * @param granted whether one permit would be granted now
 * @param remaining whole permits
 * @param retryAfter until one permit would be granted; 0 if now
 * @param fullAfter the time until the limit is as if never used, if no more permits are acquired
 * @param periodEnd when the stored window ends; {@code null} if the limit has none, or it has not opened
 * @param source of the decision: {@code redis}; {@code override} for a key that is exempt or banned; or the failure policy, which does
 *     not know the state in Redis
 * @param definition the limit definition that this instance built last
 * @param live the {@link io.limiter.live.LiveLimit} of this key alone; {@code null} if it has none
 * @param plan that the definition is of; {@code null} for those of the limit itself
 * @param rejections {@code null} if the key is none of those that this instance rejected most
 * @param storedKey the key in Redis, if the caller may see keys
 */
public record KeyDescription(
        boolean granted,
        long limit,
        long remaining,
        @Nullable Double retryAfter,
        @Nullable Double fullAfter,
        @Nullable Instant periodEnd,
        String source,
        Map<String, @Nullable Object> definition,
        @Nullable Map<String, @Nullable Object> live,
        @Nullable String plan,
        @Nullable Rejections rejections,
        @Nullable String storedKey) {

    static @Nullable Double seconds(long micros) {
        return micros == Verdict.NEVER_MICROS ? null : micros / 1e6;
    }
}
