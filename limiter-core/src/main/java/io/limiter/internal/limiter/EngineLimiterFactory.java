package io.limiter.internal.limiter;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.statistics.CounterRegistry;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.EngineObserver;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A factory that keeps what it built, by prefix, name, numbers <em>and</em> policy; and a rate that was set, by prefix and
 * name, for as long as it lives.
 */
public abstract class EngineLimiterFactory implements LimiterFactory {

    private static final Logger log = LoggerFactory.getLogger(EngineLimiterFactory.class);

    private static final String RATE_PREFIX = "rateLimit:";
    private static final String COUNT_PREFIX = "countLimit:";
    private static final String CONCURRENT_PREFIX = "concurrentLimit:";

    private final Cache<LimiterId, Limiter> limiters;
    private final Cache<LimiterId, ConcurrencyLimiter> concurrencyLimiters;
    private final CounterRegistry tallies;
    private final SharedRates rates = new SharedRates();

    /** What lies under each key. */
    private final Cache<KeyId, Class<?>> kinds;

    private final FailurePolicy defaultPolicy;

    /** The factory as it is, which views differ from. */
    private final View view;

    /** Of an engine without a backend that could fail. */
    protected EngineLimiterFactory(CacheBounds bounds) {
        this(bounds, FailurePolicy.THROW, EngineObserver.NONE, ListenerNotifier.NONE);
    }

    /**
     * @param notices tells listeners of rejections
     */
    protected EngineLimiterFactory(
            CacheBounds bounds, FailurePolicy defaultPolicy, EngineObserver observer, ListenerNotifier notices) {
        this.defaultPolicy = defaultPolicy;
        this.view = new View(
                new Options(RATE_PREFIX, COUNT_PREFIX, CONCURRENT_PREFIX, HashTag.WHOLE_KEY, defaultPolicy, true));
        this.tallies = new CounterRegistry(observer, notices);
        this.limiters = cache(bounds);
        this.concurrencyLimiters = cache(bounds);
        this.kinds = CacheBuilder.newBuilder().maximumSize(bounds.maximum()).build();
    }

    private static <T> Cache<LimiterId, T> cache(CacheBounds bounds) {
        return CacheBuilder.newBuilder()
                .initialCapacity(bounds.initial())
                .maximumSize(bounds.maximum())
                .expireAfterAccess(bounds.expireAfterAccess())
                .build();
    }

    protected abstract RateLimiter newRateLimiter(KeySpace keys, TokenBucket limit, FailurePolicy policy);

    protected abstract ConcurrencyLimiter newConcurrencyLimiter(
            KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy);

    /**
     * @param limit of another kind than those that have limiters of their own
     * @throws IllegalArgumentException if the engine cannot decide it
     */
    protected abstract Limiter newLimiter(KeySpace keys, Limit<?> limit, FailurePolicy policy);

    @Override
    public abstract void close();

    /** What limiters answer that were built with no policy of their own, when the backend does not decide. */
    public final FailurePolicy failurePolicy() {
        return defaultPolicy;
    }

    @Override
    public final LimiterStatistics statistics() {
        return new Statistics();
    }

    /** How many rejections are known that still hold. */
    protected int cachedRejections() {
        return 0;
    }

    /** How many leases of concurrency limiters are held. */
    protected int liveLeases() {
        return 0;
    }

    /** How many requests wait to be sent to the backend. */
    protected int queuedRequests() {
        return 0;
    }

    @Override
    public final RateLimiter build(String name, TokenBucket limit) {
        return view.build(name, limit);
    }

    @Override
    public final ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        return view.build(name, limit);
    }

    @Override
    public final Limiter build(String name, Limit<?> limit) {
        return view.build(name, limit);
    }

    @Override
    public final LimiterFactory withPrefix(String prefix) {
        return view.withPrefix(prefix);
    }

    @Override
    public final LimiterFactory withHashTag(HashTag hashTag) {
        return view.withHashTag(hashTag);
    }

    @Override
    public final LimiterFactory withFailurePolicy(FailurePolicy policy) {
        return view.withFailurePolicy(policy);
    }

    @Override
    public final LimiterFactory withoutListeners() {
        return view.withoutListeners();
    }

    private static void warnIfDear(String name, Limit<?> limit) {
        if (limit instanceof SlidingLog dear && dear.limit() > SlidingLog.MODERATE_LIMIT) {
            log.warn(
                    "Limiter '{}' remembers each of {} permits, and reads them all for each decision: above {}, a"
                            + " SlidingCounter does with two numbers, if an estimate is good enough.",
                    name,
                    dear.limit(),
                    SlidingLog.MODERATE_LIMIT);
        }
    }

    private Limiter limiter(LimiterId id, Function<KeySpace, Limiter> build) {
        Limiter known = limiters.getIfPresent(id);
        if (known == null) {
            known = limiters.asMap().computeIfAbsent(id, same -> {
                checkKind(id);
                return counted(id, build.apply(id.keys()));
            });
        }
        return known;
    }

    private ConcurrencyLimiter concurrencyLimiter(LimiterId id, ConcurrencyLimit limit) {
        return concurrencyLimiters.asMap().computeIfAbsent(id, same -> {
            checkKind(id);
            return counted(id, newConcurrencyLimiter(id.keys(), limit, id.policy()));
        });
    }

    /** Two kinds that read each other's states would fail at each call. */
    private void checkKind(LimiterId id) {
        Limit<?> limit = id.limit();
        Class<?> other =
                kinds.asMap().putIfAbsent(new KeyId(id.prefix(), id.name(), limit.keySuffix()), limit.stateType());
        if (other != null && other != limit.stateType()) {
            throw new IllegalArgumentException("limiter '" + id.name() + "' cannot be a "
                    + limit.getClass().getSimpleName()
                    + ": another kind of limit, whose state is a " + other.getSimpleName() + ", has its key "
                    + id.prefix() + "{" + id.name() + "}" + limit.keySuffix()
                    + "; give it another name or prefix, or its kind a keySuffix of its own");
        }
    }

    private Limiter counted(LimiterId id, Limiter limiter) {
        if (limiter instanceof EngineLimiter<?> counting) {
            counting.countIn(tally(id));
        }
        if (limiter instanceof EngineRateLimiter bucket) {
            bucket.share(rates.of(id.prefix(), id.name()));
        }
        return limiter;
    }

    private ConcurrencyLimiter counted(LimiterId id, ConcurrencyLimiter limiter) {
        if (limiter instanceof EngineConcurrencyLimiter counting) {
            counting.countIn(tally(id));
        }
        return limiter;
    }

    private LimiterCounters tally(LimiterId id) {
        LimiterCounters tally = tallies.of(id.prefix(), id.name(), id.limit(), id.policy());
        if (id.hashTag() == HashTag.FIRST_KEY) {
            tally.usesSlot();
        }
        return id.told() ? tally : tally.quiet();
    }

    /**
     * @param told whether listeners are told of rejections
     */
    private record LimiterId(
            String prefix, HashTag hashTag, String name, Limit<?> limit, FailurePolicy policy, boolean told) {

        KeySpace keys() {
            return new KeySpace(prefix, name, limit.keySuffix(), hashTag == HashTag.FIRST_KEY);
        }
    }

    private record KeyId(String prefix, String name, String suffix) {}

    private final class Statistics implements LimiterStatistics {

        @Override
        public List<LimiterTotals> totals() {
            return tallies.all();
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

    /**
     * How limiters are built, which is not part of their limits.
     *
     * @param told whether listeners are told of rejections
     */
    private record Options(
            String ratePrefix,
            String countPrefix,
            String concurrentPrefix,
            HashTag hashTag,
            FailurePolicy policy,
            boolean told) {

        Options {
            KeySpace.checkPrefix(ratePrefix);
            Objects.requireNonNull(hashTag, "hashTag");
            Objects.requireNonNull(policy, "policy");
        }

        LimiterId id(String prefix, String name, Limit<?> limit) {
            return new LimiterId(prefix, hashTag, name, limit, policy, told);
        }
    }

    /** The factory with other options. */
    private final class View implements LimiterFactory {

        private final Options options;

        View(Options options) {
            this.options = options;
        }

        @Override
        public RateLimiter build(String name, TokenBucket limit) {
            return (RateLimiter) limiter(
                    options.id(options.ratePrefix(), name, limit),
                    keys -> newRateLimiter(keys, limit, options.policy()));
        }

        @Override
        public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
            return concurrencyLimiter(options.id(options.concurrentPrefix(), name, limit), limit);
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
            return limiter(options.id(options.countPrefix(), name, limit), keys -> {
                Limiter limiter = newLimiter(keys, limit, options.policy());
                warnIfDear(name, limit);
                return limiter;
            });
        }

        @Override
        public LimiterFactory withPrefix(String prefix) {
            return new View(new Options(prefix, prefix, prefix, options.hashTag(), options.policy(), options.told()));
        }

        @Override
        public LimiterFactory withHashTag(HashTag hashTag) {
            return new View(new Options(
                    options.ratePrefix(),
                    options.countPrefix(),
                    options.concurrentPrefix(),
                    hashTag,
                    options.policy(),
                    options.told()));
        }

        @Override
        public LimiterFactory withFailurePolicy(FailurePolicy policy) {
            return new View(new Options(
                    options.ratePrefix(),
                    options.countPrefix(),
                    options.concurrentPrefix(),
                    options.hashTag(),
                    policy,
                    options.told()));
        }

        @Override
        public LimiterStatistics statistics() {
            return EngineLimiterFactory.this.statistics();
        }

        @Override
        public LimiterFactory withoutListeners() {
            return new View(new Options(
                    options.ratePrefix(),
                    options.countPrefix(),
                    options.concurrentPrefix(),
                    options.hashTag(),
                    options.policy(),
                    false));
        }
    }
}
