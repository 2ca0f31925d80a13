package io.limiter.spring.actuate;

import io.limiter.ConcurrencyLimiter;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The permits that an operator selected.
 *
 * @param factory with the limit's prefix and failure policy
 * @param key {@code null} for the limit's own permits
 * @param hashTag their hash tag; {@code null} if the key decides it
 */
record NamedPermits(
        LimiterFactory factory,
        String name,
        Limit<?> limit,
        @Nullable PrefetchTerms prefetch,
        @Nullable Ban ban,
        @Nullable String key,
        @Nullable String hashTag) {

    /** Builds the limiter again, because a factory keeps statistics longer than limiters. */
    static NamedPermits of(
            LimiterFactory factory,
            LimiterTotals totals,
            Limit<?> limit,
            @Nullable String key,
            @Nullable String hashTag) {
        // A live limit has changed this one already, and what is built for a look must not be shown later.
        LimiterFactory prefixed = factory.withoutLiveLimits().withPrefix(totals.prefix());
        LimiterFactory planned = totals.plan().map(prefixed::withPlan).orElse(prefixed);
        LimiterFactory banning = totals.ban().map(planned::withBan).orElse(planned);
        return new NamedPermits(
                totals.failurePolicy().map(banning::withFailurePolicy).orElse(banning),
                totals.limiter(),
                limit,
                totals.prefetch().orElse(null),
                totals.ban().orElse(null),
                key,
                hashTag);
    }

    Decision peek() {
        if (limit instanceof ConcurrencyLimit concurrency) {
            return view(concurrency).peek();
        }
        return view().peek();
    }

    void reset() {
        if (limit instanceof ConcurrencyLimit concurrency) {
            view(concurrency).reset();
        } else {
            view().reset();
        }
    }

    private ConcurrencyLimiter view(ConcurrencyLimit concurrency) {
        ConcurrencyLimiter tagged = hashTag == null
                ? factory.build(name, concurrency)
                : factory.withHashTag(HashTag.FIRST_KEY)
                        .build(name, concurrency)
                        .on(hashTag);
        return key == null ? tagged : tagged.on(key);
    }

    private Limiter view() {
        Limiter tagged = hashTag == null
                ? factory.build(name, limit)
                : factory.withHashTag(HashTag.FIRST_KEY).build(name, limit).on(hashTag);
        return key == null ? tagged : tagged.on(key);
    }
}
