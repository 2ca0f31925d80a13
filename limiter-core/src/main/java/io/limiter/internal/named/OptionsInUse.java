package io.limiter.internal.named;

import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.Share;
import io.limiter.algorithm.Ban;
import org.jspecify.annotations.Nullable;

/**
 * The options of a factory or one of its views, with what is not set.
 *
 * @param namespace empty for none
 * @param plan {@code null} for the limit itself
 * @param prefetch {@code null} if none of the limiters prefetches
 * @param ban of keys that are rejected too often; {@code null} for none
 * @param leave how many permits the limiters leave to others; {@code null} for none
 * @param warnAt how many permits of a window are used when it warns; {@code null} if it does not
 * @param unlimited whether the callers of the plan are not limited
 * @param listeners whether listeners are notified of rejections
 * @param live whether live limits change the limiters
 */
public record OptionsInUse(
        String namespace,
        HashTag hashTag,
        @Nullable String plan,
        FailurePolicy policy,
        @Nullable Prefetch prefetch,
        @Nullable Ban ban,
        @Nullable Share leave,
        @Nullable Share warnAt,
        boolean unlimited,
        boolean listeners,
        boolean live) {

    /** @param options with those that every factory has */
    public static OptionsInUse of(LimiterOptions options) {
        return new OptionsInUse(
                options.namespace().orElseThrow(),
                options.hashTag().orElse(HashTag.FIRST_KEY),
                options.plan().orElse(null),
                options.failurePolicy().orElseThrow(),
                options.prefetch().orElse(null),
                options.ban().orElse(null),
                // With 0, a plan overrides what its limit has.
                options.leave().filter(share -> share.of(1) > 0).orElse(null),
                options.warnAt().filter(share -> share.of(1) > 0).orElse(null),
                options.unlimited().orElse(false),
                options.listeners().orElse(true),
                options.liveLimits().orElse(true));
    }
}
