package io.limiter;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.util.Objects;

/**
 * Forwards to another factory. Subclasses override the methods that they change. Unless they override {@link #with}, views are those of the
 * other factory.
 */
public abstract class ForwardingLimiterFactory implements LimiterFactory {

    private final LimiterFactory delegate;

    /**
     * @param delegate the factory that builds the limiters, which is closed with this factory
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
    public Limiter build(String name, Limit limit) {
        return delegate.build(name, limit);
    }

    @Override
    public RateLimiter rateLimiter(String name) {
        return delegate.rateLimiter(name);
    }

    @Override
    public Limiter limiter(String name) {
        return delegate.limiter(name);
    }

    @Override
    public ConcurrencyLimiter concurrencyLimiter(String name) {
        return delegate.concurrencyLimiter(name);
    }

    /** A view of the other factory. */
    @Override
    public LimiterFactory with(LimiterOptions options) {
        return delegate.with(options);
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
