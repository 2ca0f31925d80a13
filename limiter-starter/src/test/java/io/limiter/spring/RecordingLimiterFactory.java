package io.limiter.spring;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.PrefetchTerms;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A local factory that remembers what it built. */
public final class RecordingLimiterFactory implements LimiterFactory {

    private final LimiterFactory delegate;
    private final String prefix;
    private final @Nullable PrefetchTerms prefetch;
    private final List<Built> built;

    public RecordingLimiterFactory() {
        this(new LocalLimiterFactory(), "none", null, new CopyOnWriteArrayList<>());
    }

    private RecordingLimiterFactory(
            LimiterFactory delegate, String prefix, @Nullable PrefetchTerms prefetch, List<Built> built) {
        this.delegate = delegate;
        this.prefix = prefix;
        this.prefetch = prefetch;
        this.built = built;
    }

    public record Built(
            String prefix,
            String name,
            Limit<?> limit,
            @Nullable PrefetchTerms prefetch) {

        public Built(String prefix, String name, Limit<?> limit) {
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
    public Limiter build(String name, Limit<?> limit) {
        built.add(new Built(prefix, name, limit, prefetch));
        return delegate.build(name, limit);
    }

    @Override
    public LimiterFactory withNamespace(String namespace) {
        return new RecordingLimiterFactory(delegate.withNamespace(namespace), prefix, prefetch, built);
    }

    @Override
    public LimiterFactory withPrefix(String newPrefix) {
        return new RecordingLimiterFactory(delegate.withPrefix(newPrefix), newPrefix, prefetch, built);
    }

    @Override
    public LimiterFactory withHashTag(HashTag hashTag) {
        return new RecordingLimiterFactory(delegate.withHashTag(hashTag), prefix, prefetch, built);
    }

    @Override
    public LimiterFactory withPlan(String plan) {
        return new RecordingLimiterFactory(delegate.withPlan(plan), prefix, prefetch, built);
    }

    @Override
    public LimiterFactory withFailurePolicy(FailurePolicy policy) {
        return new RecordingLimiterFactory(delegate.withFailurePolicy(policy), prefix, prefetch, built);
    }

    @Override
    public LimiterFactory withBan(Ban ban) {
        return new RecordingLimiterFactory(delegate.withBan(ban), prefix, prefetch, built);
    }

    @Override
    public LimiterFactory withPrefetch(Duration time, int callsPerSecond) {
        PrefetchTerms terms = new PrefetchTerms(time, callsPerSecond);
        return new RecordingLimiterFactory(delegate.withPrefetch(time, callsPerSecond), prefix, terms, built);
    }
}
