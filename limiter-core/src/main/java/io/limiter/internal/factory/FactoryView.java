package io.limiter.internal.factory;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.PrefetchTerms;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.limiter.KeyView;
import java.time.Duration;

/** A factory as callers have it, with options; closing it does not close the factory. */
final class FactoryView implements LimiterFactory {

    private final EngineLimiterFactory factory;
    private final FactoryOptions options;

    FactoryView(EngineLimiterFactory factory, FactoryOptions options) {
        this.factory = factory;
        this.options = options;
    }

    FactoryOptions options() {
        return options;
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
        return factory.limiter(options.id(name, limit));
    }

    @Override
    public LimiterFactory withPrefix(String prefix) {
        return new FactoryView(factory, options.withPrefix(prefix));
    }

    @Override
    public LimiterFactory withHashTag(HashTag hashTag) {
        return new FactoryView(factory, options.withHashTag(hashTag));
    }

    @Override
    public LimiterFactory withPlan(String plan) {
        return new FactoryView(factory, options.withPlan(plan));
    }

    @Override
    public LimiterFactory withFailurePolicy(FailurePolicy policy) {
        return new FactoryView(factory, options.withFailurePolicy(policy));
    }

    @Override
    public LimiterFactory withPrefetch(Duration time, int callsPerSecond) {
        return new FactoryView(factory, options.withPrefetch(new PrefetchTerms(time, callsPerSecond)));
    }

    @Override
    public LimiterFactory withBan(Ban ban) {
        return new FactoryView(factory, options.withBan(ban));
    }

    @Override
    public LimiterFactory withoutListeners() {
        return new FactoryView(factory, options.withoutListeners());
    }

    @Override
    public LimiterFactory withoutLiveLimits() {
        return new FactoryView(factory, options.withoutLiveLimits());
    }

    @Override
    public LimiterStatistics statistics() {
        return factory.statistics();
    }
}
