package io.limiter.spring;

import io.limiter.ConcurrencyLimiter;
import io.limiter.ForwardingLimiterFactory;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A local factory that remembers what it built. */
public final class RecordingLimiterFactory extends ForwardingLimiterFactory {

    private final LimiterFactory delegate;
    private final String prefix;
    private final @Nullable Prefetch prefetch;
    private final List<Built> built;

    public RecordingLimiterFactory() {
        this(new LocalLimiterFactory(), "none", null, new CopyOnWriteArrayList<>());
    }

    private RecordingLimiterFactory(
            LimiterFactory delegate, String prefix, @Nullable Prefetch prefetch, List<Built> built) {
        super(delegate);
        this.delegate = delegate;
        this.prefix = prefix;
        this.prefetch = prefetch;
        this.built = built;
    }

    public record Built(
            String prefix,
            String name,
            AnyLimit limit,
            @Nullable Prefetch prefetch) {

        public Built(String prefix, String name, AnyLimit limit) {
            this(prefix, name, limit, null);
        }
    }

    public List<Built> built() {
        return built;
    }

    public List<String> names() {
        return built.stream().map(Built::name).toList();
    }

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        built.add(new Built(prefix, name, limit, prefetch));
        return delegate.build(name, limit);
    }

    @Override
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        built.add(new Built(prefix, name, limit, prefetch));
        return delegate.build(name, limit);
    }

    @Override
    public Limiter build(String name, Limit limit) {
        built.add(new Built(prefix, name, limit, prefetch));
        return delegate.build(name, limit);
    }

    @Override
    public LimiterFactory with(LimiterOptions options) {
        return new RecordingLimiterFactory(
                delegate.with(options),
                options.prefix().orElse(prefix),
                options.prefetch().orElse(prefetch),
                built);
    }
}
