package io.limiter.internal.factory;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.PrefetchTerms;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.KeyView;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A factory as callers have it: with what its limiters have in common besides their limits. Closing it does not close the factory.
 *
 * @param namespace empty for none
 * @param prefix {@code null} for the default of each kind of limit
 * @param plan {@code null} for the limit itself
 * @param prefetch {@code null} if none of them prefetches
 * @param ban of keys that are rejected too often; {@code null} for none
 * @param listeners whether listeners are notified of rejections
 * @param live whether live limits change them
 */
record FactoryView(
        EngineLimiterFactory factory,
        String namespace,
        @Nullable String prefix,
        HashTag hashTag,
        @Nullable String plan,
        FailurePolicy policy,
        @Nullable PrefetchTerms prefetch,
        @Nullable Ban ban,
        boolean listeners,
        boolean live)
        implements LimiterFactory {

    FactoryView {
        KeySpace.checkNamespace(Objects.requireNonNull(namespace, "namespace"));
        if (prefix != null) {
            KeySpace.checkPrefix(prefix);
        }
        Objects.requireNonNull(hashTag, "hashTag");
        if (plan != null && plan.isBlank()) {
            throw new IllegalArgumentException("plan must not be blank, was '" + plan + "'");
        }
        Objects.requireNonNull(policy, "policy");
    }

    FactoryView(EngineLimiterFactory factory, String namespace, FailurePolicy policy) {
        this(factory, namespace, null, HashTag.WHOLE_KEY, null, policy, null, null, true, true);
    }

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        return (RateLimiter) limiter(name, limit);
    }

    @Override
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        return (ConcurrencyLimiter) limiter(name, limit);
    }

    @Override
    public Limiter build(String name, Limit<?> limit) {
        if (limit instanceof ConcurrencyLimit) {
            throw new IllegalArgumentException(
                    "permits of a ConcurrencyLimit are held, not spent, so it needs a limiter"
                            + " of its own: use build(String, ConcurrencyLimit), limit was " + limit);
        }
        return (Limiter) limiter(name, limit);
    }

    private KeyView<?> limiter(String name, Limit<?> limit) {
        return factory.limiter(id(name, limit));
    }

    @Override
    public FactoryView withNamespace(String newNamespace) {
        return new FactoryView(factory, newNamespace, prefix, hashTag, plan, policy, prefetch, ban, listeners, live);
    }

    @Override
    public FactoryView withPrefix(String newPrefix) {
        Objects.requireNonNull(newPrefix, "prefix");
        return new FactoryView(factory, namespace, newPrefix, hashTag, plan, policy, prefetch, ban, listeners, live);
    }

    @Override
    public FactoryView withHashTag(HashTag newHashTag) {
        return new FactoryView(factory, namespace, prefix, newHashTag, plan, policy, prefetch, ban, listeners, live);
    }

    @Override
    public FactoryView withPlan(String newPlan) {
        Objects.requireNonNull(newPlan, "plan");
        return new FactoryView(factory, namespace, prefix, hashTag, newPlan, policy, prefetch, ban, listeners, live);
    }

    @Override
    public FactoryView withFailurePolicy(FailurePolicy newPolicy) {
        return new FactoryView(factory, namespace, prefix, hashTag, plan, newPolicy, prefetch, ban, listeners, live);
    }

    @Override
    public FactoryView withPrefetch(Duration time, int callsPerSecond) {
        PrefetchTerms newPrefetch = new PrefetchTerms(time, callsPerSecond);
        return new FactoryView(factory, namespace, prefix, hashTag, plan, policy, newPrefetch, ban, listeners, live);
    }

    @Override
    public FactoryView withBan(Ban newBan) {
        Objects.requireNonNull(newBan, "ban");
        return new FactoryView(factory, namespace, prefix, hashTag, plan, policy, prefetch, newBan, listeners, live);
    }

    @Override
    public FactoryView withoutListeners() {
        return new FactoryView(factory, namespace, prefix, hashTag, plan, policy, prefetch, ban, false, live);
    }

    @Override
    public FactoryView withoutLiveLimits() {
        return new FactoryView(factory, namespace, prefix, hashTag, plan, policy, prefetch, ban, listeners, false);
    }

    @Override
    public LimiterStatistics statistics() {
        return factory.statistics();
    }

    /**
     * The identity of a limiter with these options.
     *
     * @throws IllegalArgumentException if the limit cannot be prefetched or have a ban, but these options say so
     */
    private LimiterId id(String name, Limit<?> limit) {
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
    record LimiterId(String prefix, String name, Limit<?> limit, FactoryView options) {

        /** The name under which all but the backend know the limiter. */
        String knownAs() {
            return options.plan() == null ? name : LimiterTotals.planName(name, options.plan());
        }

        KeySpace keys(Supplier<HashTags> hashTags, KeySpace.Recent recent) {
            boolean firstIsHashTag = options.hashTag() == HashTag.FIRST_KEY;
            return new KeySpace(options.namespace(), prefix, name, limit.keySuffix(), firstIsHashTag, hashTags, recent);
        }
    }
}
