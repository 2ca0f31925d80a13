package io.limiter.internal.limiter;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.PrefetchTerms;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.FactoryOptions.LimiterId;
import io.limiter.internal.live.override.OverridesByName;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.CounterRegistry;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A factory that caches its limiters by prefix, name, limit and options. A rate that was set holds for a prefix and name as
 * long as the factory lives.
 */
public abstract class EngineLimiterFactory implements AutoCloseable {

    private static final AsyncLog log = AsyncLog.of(EngineLimiterFactory.class);

    private static final String RATE_PREFIX = "rateLimit:";
    private static final String COUNT_PREFIX = "countLimit:";
    private static final String CONCURRENT_PREFIX = "concurrentLimit:";

    private final Cache<LimiterId, Object> limiters;
    private final CounterRegistry counters;
    private final OverridesByName overrides = new OverridesByName();

    /** The type of the state stored under each key. */
    private final Cache<KeyId, Class<?>> stateTypes;

    /** This factory's own options; other views have others. */
    private final View view;

    /** Without a backend that could fail. */
    protected EngineLimiterFactory(CacheBounds bounds) {
        this(bounds, FailurePolicy.THROW, EngineObserver.NONE, ListenerNotifier.NONE, Ticker.systemTicker());
    }

    /**
     * @param notifier notifies listeners of rejections
     * @param ticker measures waits
     */
    protected EngineLimiterFactory(
            CacheBounds bounds,
            FailurePolicy defaultPolicy,
            EngineObserver observer,
            ListenerNotifier notifier,
            Ticker ticker) {
        this.view = new View(FactoryOptions.of(defaultPolicy));
        this.counters = new CounterRegistry(observer, notifier, ticker);
        this.limiters = CacheBuilder.newBuilder()
                .initialCapacity(bounds.initial())
                .maximumSize(bounds.maximum())
                .expireAfterAccess(bounds.expireAfterAccess())
                .build();
        this.stateTypes =
                CacheBuilder.newBuilder().maximumSize(bounds.maximum()).build();
    }

    /**
     * @param prefetch how to prefetch permits; {@code null} if not at all
     */
    protected abstract RateLimiter newRateLimiter(
            KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable PrefetchTerms prefetch);

    protected abstract ConcurrencyLimiter newConcurrencyLimiter(
            KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy);

    /**
     * @param limit neither a token bucket nor a concurrency limit
     * @throws IllegalArgumentException if the engine cannot decide it
     */
    protected abstract Limiter newLimiter(KeySpace keys, Limit<?> limit, FailurePolicy policy);

    @Override
    public abstract void close();

    /** The default failure policy of its limiters. */
    public final FailurePolicy failurePolicy() {
        return view.options.policy();
    }

    /** The factory as callers have it; closing it does nothing. */
    public final LimiterFactory view() {
        return view;
    }

    /** See {@link LimiterStatistics#cachedRejections}. */
    protected int cachedRejections() {
        return 0;
    }

    /** See {@link LimiterStatistics#liveLeases}. */
    protected int liveLeases() {
        return 0;
    }

    /** See {@link LimiterStatistics#queuedRequests}. */
    protected int queuedRequests() {
        return 0;
    }

    /** What changes limiters after they were built. */
    protected final OverridesByName overrides() {
        return overrides;
    }

    private Object limiter(LimiterId id, Supplier<?> create) {
        Object cached = limiters.getIfPresent(id);
        if (cached instanceof EngineLimiter<?> engineLimiter) {
            engineLimiter.rebuilt();
        } else if (cached instanceof EngineConcurrencyLimiter concurrencyLimiter) {
            concurrencyLimiter.rebuilt();
        }
        if (cached != null) {
            return cached;
        }
        return limiters.asMap().computeIfAbsent(id, same -> {
            Object limiter = create.get();
            // Last, so that what cannot be created takes no key.
            checkStateType(id);
            connect(limiter, id);
            return limiter;
        });
    }

    /** Two kinds of limit that read each other's states would fail at each call. */
    private void checkStateType(LimiterId id) {
        Limit<?> limit = id.limit();
        KeyId key = new KeyId(id.prefix(), id.name(), limit.keySuffix());
        Class<?> other = stateTypes.asMap().putIfAbsent(key, limit.stateType());
        if (other != null && other != limit.stateType()) {
            throw new IllegalArgumentException("limiter '" + id.name() + "' cannot be a "
                    + limit.getClass().getSimpleName()
                    + ": another kind of limit, whose state is a " + other.getSimpleName() + ", has its key "
                    + id.prefix() + "{" + id.name() + "}" + limit.keySuffix()
                    + "; give it another name or prefix, or its kind a keySuffix of its own");
        }
    }

    /** Connects a new limiter with the counters of its prefix and name, and with what changes it. */
    private void connect(Object limiter, LimiterId id) {
        FactoryOptions options = id.options();
        LimiterCounters all = counters.of(id.prefix(), id.name(), id.limit(), options.policy());
        all.hashTag(options.hashTag());
        all.prefetch(options.prefetch());
        LimiterCounters counting = options.listeners() ? all : all.quiet();
        if (limiter instanceof EngineLimiter<?> engineLimiter) {
            engineLimiter.countIn(counting);
            engineLimiter.overriddenBy(overrides.of(id.name()), options.live());
        }
        if (limiter instanceof EngineConcurrencyLimiter concurrencyLimiter) {
            concurrencyLimiter.countIn(counting);
            concurrencyLimiter.overriddenBy(overrides.of(id.name()), options.live());
        }
    }

    private static void warnIfExpensive(String name, Limit<?> limit) {
        if (limit instanceof SlidingLog slidingLog && slidingLog.limit() > SlidingLog.MODERATE_LIMIT) {
            log.warn(
                    "Limiter '{}' stores the time of each of {} permits and reads all of them for each decision. Above {},"
                            + " use a SlidingCounter, which stores two numbers, if an estimate is good enough.",
                    name,
                    slidingLog.limit(),
                    SlidingLog.MODERATE_LIMIT);
        }
    }

    private record KeyId(String prefix, String name, String suffix) {}

    private final class Statistics implements LimiterStatistics {

        @Override
        public List<LimiterTotals> totals() {
            return counters.all();
        }

        @Override
        public int cachedRejections() {
            return EngineLimiterFactory.this.cachedRejections();
        }

        @Override
        public int liveLeases() {
            return EngineLimiterFactory.this.liveLeases();
        }

        @Override
        public int queuedRequests() {
            return EngineLimiterFactory.this.queuedRequests();
        }
    }

    /** The factory with other options. */
    private final class View implements LimiterFactory {

        private final FactoryOptions options;

        View(FactoryOptions options) {
            this.options = options;
        }

        @Override
        public RateLimiter build(String name, TokenBucket limit) {
            LimiterId id = options.id(RATE_PREFIX, name, limit);
            return (RateLimiter)
                    limiter(id, () -> newRateLimiter(id.keys(), limit, options.policy(), options.prefetch()));
        }

        @Override
        public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
            LimiterId id = options.id(CONCURRENT_PREFIX, name, limit);
            return (ConcurrencyLimiter) limiter(id, () -> newConcurrencyLimiter(id.keys(), limit, options.policy()));
        }

        @Override
        public Limiter build(String name, Limit<?> limit) {
            if (limit instanceof TokenBucket bucket) {
                return build(name, bucket);
            }
            if (limit instanceof ConcurrencyLimit) {
                throw new IllegalArgumentException(
                        "permits of a ConcurrencyLimit are held, not spent, so it needs a limiter"
                                + " of its own: use build(String, ConcurrencyLimit), limit was " + limit);
            }
            LimiterId id = options.id(COUNT_PREFIX, name, limit);
            return (Limiter) limiter(id, () -> {
                Limiter limiter = newLimiter(id.keys(), limit, options.policy());
                warnIfExpensive(name, limit);
                return limiter;
            });
        }

        @Override
        public LimiterFactory withPrefix(String prefix) {
            return new View(options.withPrefix(prefix));
        }

        @Override
        public LimiterFactory withHashTag(HashTag hashTag) {
            return new View(options.withHashTag(hashTag));
        }

        @Override
        public LimiterFactory withFailurePolicy(FailurePolicy policy) {
            return new View(options.withFailurePolicy(policy));
        }

        @Override
        public LimiterFactory withPrefetch(int permits, Duration time) {
            return new View(options.withPrefetch(permits, time));
        }

        @Override
        public LimiterFactory withoutListeners() {
            return new View(options.withoutListeners());
        }

        @Override
        public LimiterFactory withoutLiveLimits() {
            return new View(options.withoutLiveLimits());
        }

        @Override
        public LimiterStatistics statistics() {
            return new Statistics();
        }
    }
}
