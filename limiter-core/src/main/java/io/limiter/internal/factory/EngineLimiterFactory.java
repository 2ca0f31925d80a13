package io.limiter.internal.factory;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.KeyView;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.named.LimiterId;
import io.limiter.internal.named.NamedLimits;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limiters of a factory, cached by prefix, name, limit and options, and their statistics. A rate that was set holds for
 * a prefix and name as long as the factory lives.
 */
public abstract class EngineLimiterFactory implements AutoCloseable {

    /** How many limiters are kept, unless set. */
    public static final long DEFAULT_MAX_CACHED = 10_000;

    private static final Duration UNUSED_FOR = Duration.ofMinutes(5);
    private static final AsyncLog log = AsyncLog.of(EngineLimiterFactory.class);

    private final Cache<LimiterId, KeyView<?>> limiters;
    private final NamedLimits named;
    private final KeySpace.Recent recentKeys = new KeySpace.Recent();

    private final LimiterOptions options;
    private final DefinedLimits defined = new DefinedLimits();

    /**
     * @param maxCached how many limiters are kept
     * @param namespace of its limiters; empty for none
     * @param notifier notifies listeners of rejections
     * @param ticker measures waits
     */
    protected EngineLimiterFactory(
            long maxCached,
            String namespace,
            FailurePolicy defaultPolicy,
            EngineObserver observer,
            ListenerNotifier notifier,
            Ticker ticker) {
        this.options = LimiterOptions.NONE.withNamespace(namespace).withFailurePolicy(defaultPolicy);
        this.named = new NamedLimits(observer, notifier, ticker);
        this.limiters = CacheBuilder.newBuilder()
                .initialCapacity(100)
                .maximumSize(maxCached)
                .expireAfterAccess(UNUSED_FOR)
                .build();
    }

    /** @throws IllegalArgumentException if no limiter could be kept */
    public static long checkMaxCached(long maxCached) {
        if (maxCached < 1) {
            throw new IllegalArgumentException("maxCachedLimiters must be at least 1, was " + maxCached);
        }
        return maxCached;
    }

    /**
     * @param prefetch how to prefetch permits; {@code null} if not at all
     */
    protected abstract RateLimiter newRateLimiter(
            KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable Prefetch prefetch);

    protected abstract ConcurrencyLimiter newConcurrencyLimiter(
            KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy);

    /**
     * @param limit neither a token bucket nor a concurrency limit
     * @throws IllegalArgumentException if the engine cannot decide it
     */
    protected abstract Limiter newLimiter(KeySpace keys, Limit limit, FailurePolicy policy);

    /** Over which keys are spread. */
    protected HashTags hashTags() {
        return HashTags.NONE;
    }

    @Override
    public abstract void close();

    /** The factory whose limiters callers have from another, which may forward to it; {@code null} if there is none. */
    public static @Nullable EngineLimiterFactory of(LimiterFactory callers) {
        return callers.statistics() instanceof Statistics own ? own.limiters() : null;
    }

    /** What callers build the limiters with, under the options of the factory; closing it closes the factory. */
    public final FactoryView view() {
        return new FactoryView(this, options, true);
    }

    /** Whether what decides is available. */
    public abstract BackendState backendState();

    /** The clock of its limiters, which a test may move. */
    public abstract Ticker ticker();

    /** The namespace of its limiters; empty if they have none. */
    public final String namespace() {
        return options.namespace().orElseThrow();
    }

    /** Of all views. An object of its own, because an application may make it a bean, which must not close the limiters. */
    public LimiterStatistics statistics() {
        return new Statistics();
    }

    /** The statistics of the limiters, to which an engine adds its own. */
    protected class Statistics implements LimiterStatistics {

        @Override
        public final List<LimiterTotals> totals() {
            return named.totals();
        }

        private EngineLimiterFactory limiters() {
            return EngineLimiterFactory.this;
        }
    }

    /** The limits that callers get by their names alone. */
    public final DefinedLimits defined() {
        return defined;
    }

    /** What it knows of each name. */
    public final NamedLimits named() {
        return named;
    }

    final KeyView<?> limiter(LimiterId id) {
        // Takes no lock, also while another one is built.
        KeyView<?> cached = limiters.getIfPresent(id);
        if (cached != null) {
            cached.bound().builtAgain();
            return cached;
        }
        return limiters.asMap().computeIfAbsent(id, same -> {
            KeyView<?> limiter = create(id);
            // Last, so that what cannot be created takes no name.
            named.add(limiter.bound(), id);
            return limiter;
        });
    }

    private KeyView<?> create(LimiterId id) {
        KeySpace keys = id.keys(this::hashTags, recentKeys);
        FailurePolicy policy = id.options().policy();
        if (id.limit() instanceof TokenBucket bucket) {
            return (KeyView<?>)
                    newRateLimiter(keys, bucket, policy, id.options().prefetch());
        }
        if (id.limit() instanceof ConcurrencyLimit concurrency) {
            return (KeyView<?>) newConcurrencyLimiter(keys, concurrency, policy);
        }
        Limiter limiter = newLimiter(keys, (Limit) id.limit(), policy);
        warnIfExpensive(id.name(), id.limit());
        return (KeyView<?>) limiter;
    }

    private static void warnIfExpensive(String name, AnyLimit limit) {
        if (limit instanceof SlidingLog slidingLog && slidingLog.limit() > SlidingLog.MODERATE_LIMIT) {
            log.warn(
                    "Limiter '{}' stores the time of each of {} permits and reads all of them for each decision. Above {},"
                            + " use a SlidingCounter, which stores two numbers, if an estimate is good enough.",
                    name,
                    slidingLog.limit(),
                    SlidingLog.MODERATE_LIMIT);
        }
    }
}
