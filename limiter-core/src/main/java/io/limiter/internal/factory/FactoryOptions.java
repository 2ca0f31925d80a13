package io.limiter.internal.factory;

import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.LimiterTotals;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the limiters of a factory have in common besides their limits.
 *
 * @param prefix {@code null} for the default of each kind of limit
 * @param plan {@code null} for the limit itself
 * @param prefetch {@code null} if none of them prefetches
 * @param ban of keys that are rejected too often; {@code null} for none
 * @param listeners whether listeners are notified of rejections
 * @param live whether live limits change them
 */
record FactoryOptions(
        @Nullable String prefix,
        HashTag hashTag,
        @Nullable String plan,
        FailurePolicy policy,
        @Nullable PrefetchTerms prefetch,
        @Nullable Ban ban,
        boolean listeners,
        boolean live) {

    FactoryOptions {
        if (prefix != null) {
            KeySpace.checkPrefix(prefix);
        }
        Objects.requireNonNull(hashTag, "hashTag");
        if (plan != null && plan.isBlank()) {
            throw new IllegalArgumentException("plan must not be blank, was '" + plan + "'");
        }
        Objects.requireNonNull(policy, "policy");
    }

    static FactoryOptions of(FailurePolicy policy) {
        return new FactoryOptions(null, HashTag.WHOLE_KEY, null, policy, null, null, true, true);
    }

    FactoryOptions withPrefix(String newPrefix) {
        Objects.requireNonNull(newPrefix, "prefix");
        return new FactoryOptions(newPrefix, hashTag, plan, policy, prefetch, ban, listeners, live);
    }

    FactoryOptions withHashTag(HashTag newHashTag) {
        return new FactoryOptions(prefix, newHashTag, plan, policy, prefetch, ban, listeners, live);
    }

    FactoryOptions withPlan(String newPlan) {
        Objects.requireNonNull(newPlan, "plan");
        return new FactoryOptions(prefix, hashTag, newPlan, policy, prefetch, ban, listeners, live);
    }

    FactoryOptions withFailurePolicy(FailurePolicy newPolicy) {
        return new FactoryOptions(prefix, hashTag, plan, newPolicy, prefetch, ban, listeners, live);
    }

    FactoryOptions withPrefetch(PrefetchTerms newPrefetch) {
        return new FactoryOptions(prefix, hashTag, plan, policy, newPrefetch, ban, listeners, live);
    }

    FactoryOptions withBan(Ban newBan) {
        Objects.requireNonNull(newBan, "ban");
        return new FactoryOptions(prefix, hashTag, plan, policy, prefetch, newBan, listeners, live);
    }

    FactoryOptions withoutListeners() {
        return new FactoryOptions(prefix, hashTag, plan, policy, prefetch, ban, false, live);
    }

    FactoryOptions withoutLiveLimits() {
        return new FactoryOptions(prefix, hashTag, plan, policy, prefetch, ban, listeners, false);
    }

    /**
     * The identity of a limiter with these options.
     *
     * @throws IllegalArgumentException if the limit cannot be prefetched or have a ban, but these options say so
     */
    LimiterId id(String name, Limit<?> limit) {
        checkPrefetch(Objects.requireNonNull(limit, "limit"));
        checkBan(limit);
        // So that one without a prefix is the same as one with the default.
        String used = prefix == null ? defaultPrefix(limit) : prefix;
        return new LimiterId(used, name, limit, withPrefix(used));
    }

    private static String defaultPrefix(Limit<?> limit) {
        if (limit instanceof TokenBucket) {
            return "rateLimit:";
        }
        return limit instanceof ConcurrencyLimit ? "concurrentLimit:" : "countLimit:";
    }

    private void checkPrefetch(Limit<?> limit) {
        if (prefetch == null) {
            return;
        }
        if (!(limit instanceof TokenBucket bucket)) {
            throw new IllegalArgumentException("prefetch works only with a token bucket, limit was " + limit);
        }
        if (bucket.whoWaits() != WhoWaits.CALLER) {
            throw new IllegalArgumentException("prefetch works only with whoWaits CALLER, was " + bucket.whoWaits()
                    + ": permits that are prefetched would make the next caller wait for all of them");
        }
    }

    private void checkBan(Limit<?> limit) {
        if (limit instanceof Ban) {
            throw new IllegalArgumentException(
                    "a ban is no limit of its own: build a limit with the factory of withBan, limit was " + limit);
        }
        if (ban == null) {
            return;
        }
        if (limit instanceof ConcurrencyLimit) {
            throw new IllegalArgumentException(
                    "a ban works only with a limit whose permits are spent, not held, limit was " + limit);
        }
        if (prefetch != null) {
            throw new IllegalArgumentException(
                    "a ban and prefetch exclude each other, because prefetched permits are granted without Redis, which"
                            + " knows the ban: leave one of them out, they were " + ban + " and " + prefetch);
        }
    }

    /**
     * What makes two limiters of a factory the same one.
     *
     * @param name whose permits they take
     */
    record LimiterId(String prefix, String name, Limit<?> limit, FactoryOptions options) {

        /** The name under which all but the backend know the limiter. */
        String knownAs() {
            return options.plan() == null ? name : LimiterTotals.planName(name, options.plan());
        }

        KeySpace keys(String scope, Supplier<HashTags> hashTags) {
            boolean firstIsHashTag = options.hashTag() == HashTag.FIRST_KEY;
            return new KeySpace(scope, prefix, name, limit.keySuffix(), firstIsHashTag, hashTags);
        }
    }
}
