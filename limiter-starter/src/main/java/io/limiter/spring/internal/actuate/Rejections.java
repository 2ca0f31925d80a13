package io.limiter.spring.internal.actuate;

import io.limiter.LimiterTotals.RejectedKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rejections of a key by this instance in the last minutes.
 *
 * @param key or its hash; {@code null} if it is the requested one
 * @param rejections estimated number
 * @param secondsAgo of the last five, the newest first
 */
public record Rejections(@Nullable String key, long rejections, List<Double> secondsAgo) {

    static Rejections of(@Nullable String key, RejectedKey rejected) {
        return new Rejections(
                key,
                rejected.rejections(),
                rejected.ago().stream().map(each -> each.toMillis() / 1e3).toList());
    }
}
