package io.limiter.internal.factory;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterStatistics;
import io.limiter.RateLimiter;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.factory.DefinedLimits.DefinedLimit;
import io.limiter.internal.limiter.KeyView;
import io.limiter.internal.named.LimiterId;
import io.limiter.internal.named.OptionsInUse;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What callers build limiters with: the factory of an engine with its own options, or a view of it with others, which shares the engine
 * and closes nothing.
 */
public final class FactoryView implements LimiterFactory {

    private final EngineLimiterFactory limiters;
    private final LimiterOptions options;
    private final boolean closes;

    /** {@code null} for the default of each kind of limit. */
    private final @Nullable String prefix;

    private final OptionsInUse inUse;

    /** By the names of their limits, which do not change. */
    private final Map<String, LimiterId> named = new ConcurrentHashMap<>();

    FactoryView(EngineLimiterFactory limiters, LimiterOptions options, boolean closes) {
        this.limiters = limiters;
        this.options = options;
        this.closes = closes;
        this.prefix = options.prefix().orElse(null);
        this.inUse = OptionsInUse.of(options);
    }

    @Override
    public FactoryView with(LimiterOptions others) {
        return new FactoryView(limiters, options.with(Objects.requireNonNull(others, "options")), false);
    }

    /** The factory of the engine. */
    public EngineLimiterFactory limiters() {
        return limiters;
    }

    /** The failure policy of its limiters. */
    public FailurePolicy failurePolicy() {
        return inUse.policy();
    }

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        return (RateLimiter) built(name, limit);
    }

    @Override
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        return (ConcurrencyLimiter) built(name, limit);
    }

    @Override
    public Limiter build(String name, Limit limit) {
        return (Limiter) built(name, limit);
    }

    private KeyView<?> built(String name, AnyLimit limit) {
        return limiters.limiter(LimiterId.of(prefix, name, limit, inUse));
    }

    @Override
    public RateLimiter rateLimiter(String name) {
        LimiterId id = named(name, false);
        if (!(id.limit() instanceof TokenBucket)) {
            throw DefinedLimits.ofOtherKind(name, id.limit());
        }
        return (RateLimiter) limiters.limiter(id);
    }

    @Override
    public Limiter limiter(String name) {
        LimiterId id = named(name, false);
        if (id.limit() instanceof ConcurrencyLimit) {
            throw DefinedLimits.ofOtherKind(name, id.limit());
        }
        return (Limiter) limiters.limiter(id);
    }

    @Override
    public ConcurrencyLimiter concurrencyLimiter(String name) {
        LimiterId id = named(name, true);
        if (!(id.limit() instanceof ConcurrencyLimit)) {
            throw DefinedLimits.ofOtherKind(name, id.limit());
        }
        return (ConcurrencyLimiter) limiters.limiter(id);
    }

    private LimiterId named(String name, boolean held) {
        LimiterId known = named.get(Objects.requireNonNull(name, "name"));
        if (known != null) {
            return known;
        }
        DefinedLimit found = limiters.defined().find(name, inUse.plan(), held);
        LimiterOptions both = options.with(found.options());
        LimiterId id = LimiterId.of(both.prefix().orElse(null), name, found.limit(), OptionsInUse.of(both));
        named.put(name, id);
        return id;
    }

    @Override
    public LimiterStatistics statistics() {
        return limiters.statistics();
    }

    @Override
    public void close() {
        if (closes) {
            limiters.close();
        }
    }
}
