package io.limiter;

import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.Objects;

/**
 * Forwards to another factory. Subclasses override what they change; the views of {@link #withPrefix} and the like are those of
 * the other factory.
 */
public abstract class ForwardingLimiterFactory implements LimiterFactory {

    private final LimiterFactory delegate;

    /**
     * @param delegate builds the limiters; closed with this factory
     */
    protected ForwardingLimiterFactory(LimiterFactory delegate) {
        this.delegate = Objects.requireNonNull(delegate, "delegate");
    }

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        return delegate.build(name, limit);
    }

    @Override
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        return delegate.build(name, limit);
    }

    @Override
    public Limiter build(String name, Limit<?> limit) {
        return delegate.build(name, limit);
    }

    @Override
    public LimiterFactory withNamespace(String namespace) {
        return delegate.withNamespace(namespace);
    }

    @Override
    public LimiterFactory withPrefix(String prefix) {
        return delegate.withPrefix(prefix);
    }

    @Override
    public LimiterFactory withHashTag(HashTag hashTag) {
        return delegate.withHashTag(hashTag);
    }

    @Override
    public LimiterFactory withPlan(String plan) {
        return delegate.withPlan(plan);
    }

    @Override
    public LimiterFactory withFailurePolicy(FailurePolicy policy) {
        return delegate.withFailurePolicy(policy);
    }

    @Override
    public LimiterFactory withPrefetch(Duration time, int callsPerSecond) {
        return delegate.withPrefetch(time, callsPerSecond);
    }

    @Override
    public LimiterFactory withBan(Ban ban) {
        return delegate.withBan(ban);
    }

    @Override
    public LimiterFactory withoutListeners() {
        return delegate.withoutListeners();
    }

    @Override
    public LimiterFactory withoutLiveLimits() {
        return delegate.withoutLiveLimits();
    }

    @Override
    public LimiterStatistics statistics() {
        return delegate.statistics();
    }

    @Override
    public void close() {
        delegate.close();
    }
}
