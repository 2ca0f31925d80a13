package io.limiter.spring.settings;

import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a leaky bucket, or of one whose calls wait for their turn.
 *
 * @param limit capacity of a leaky bucket, or most waiting calls; {@code null} if not set
 */
public record LeakyBucketSettings(
        LimitKind kind, Rate rate, @Nullable Integer limit) implements KindSettings {

    private static final Duration LONGEST = Duration.ofDays(1000);

    @Override
    public LeakyBucketSettings overriddenBy(LimitSettings configured) {
        return new LeakyBucketSettings(
                kind, rate.overriddenBy(configured), LimitSettings.first(configured.limit(), limit));
    }

    @Override
    public TokenBucket toLimit() {
        double permitsPerSecond = rate.permitsPerSecond();
        int permits = LimitSettings.required("limit", limit);
        return kind == LimitKind.LEAKY_QUEUE
                ? LeakyBucket.queue(permitsPerSecond, permits)
                : LeakyBucket.meter(permitsPerSecond, permits);
    }

    /** A queue bounds the wait by itself, also one whose numbers were changed live. */
    @Override
    public Duration callTimeout() {
        return kind == LimitKind.LEAKY_QUEUE ? LONGEST : Duration.ZERO;
    }
}
