package io.limiter.internal.factory;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
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
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.limiter.KeyView;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.override.OverridesByName;
import io.limiter.internal.statistics.CounterRegistry;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.EngineObserver;
import io.limiter.step.LimitStep;
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
    private final CounterRegistry counters;
    private final OverridesByName overrides = new OverridesByName();

    /** The type of the state stored under each key. */
    private final Cache<KeyId, Class<?>> stateTypes;

    /** Whose permits each name stands for, by prefix and name. */
    private final Cache<List<String>, Owner> owners;

    private final KeySpace.Recent recentKeys = new KeySpace.Recent();

    private final LimiterOptions options;
    private final NamedLimits named = new NamedLimits();

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
        this.counters = new CounterRegistry(observer, notifier, ticker);
        this.limiters = CacheBuilder.newBuilder()
                .initialCapacity(100)
                .maximumSize(maxCached)
                .expireAfterAccess(UNUSED_FOR)
                .build();
        this.stateTypes = CacheBuilder.newBuilder().maximumSize(maxCached).build();
        this.owners = CacheBuilder.newBuilder().maximumSize(maxCached).build();
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

    /** The factory as callers have it; closing it does nothing. */
    public final LimiterFactory view() {
        return new FactoryView(this, options);
    }

    /** The namespace of its limiters; empty if they have none. */
    public final String namespace() {
        return options.namespace().orElseThrow();
    }

    /** Of all views. An object of its own, because an application may make it a bean, which must not close the limiters. */
    public LimiterStatistics statistics() {
        return new Statistics();
    }

    /** Those of the limiters; an engine adds its own. */
    protected class Statistics implements LimiterStatistics {

        @Override
        public final List<LimiterTotals> totals() {
            return counters.all();
        }

        private EngineLimiterFactory limiters() {
            return EngineLimiterFactory.this;
        }
    }

    /** The limits that are known by their names. */
    public final NamedLimits named() {
        return named;
    }

    /** What changes limiters after they were built. */
    public final OverridesByName overrides() {
        return overrides;
    }

    final KeyView<?> limiter(LimiterId id) {
        KeyView<?> cached = limiters.getIfPresent(id);
        if (cached != null) {
            cached.rebuilt();
            return cached;
        }
        return limiters.asMap().computeIfAbsent(id, same -> {
            KeyView<?> limiter = create(id);
            // Last, so that what cannot be created takes no key.
            checkOwner(id);
            checkStateType(id);
            connect(limiter, id);
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

    /** Two kinds of limit that read each other's states would fail at each call. */
    private void checkStateType(LimiterId id) {
        LimitStep<?> limit = id.limit().asStep();
        KeyId key = new KeyId(id.options().namespace(), id.prefix(), id.name(), limit.keySuffix());
        Class<?> other = stateTypes.asMap().putIfAbsent(key, limit.stateType());
        if (other != null && other != limit.stateType()) {
            throw new IllegalArgumentException("limiter '" + id.name() + "' cannot be a "
                    + limit.getClass().getSimpleName()
                    + ": another kind of limit, whose state is a " + other.getSimpleName() + ", has its key "
                    + id.prefix() + "{" + id.name() + "}" + limit.keySuffix()
                    + "; give it another name or prefix, or its kind a keySuffix of its own");
        }
    }

    /** A limit and its plans take the same permits, and no other limiter is known as one of them. */
    private void checkOwner(LimiterId id) {
        boolean isPlan = id.options().plan() != null;
        Owner owner = new Owner(
                id.name(), id.limit().asStep().stateType(), id.limit().asStep().keySuffix(), isPlan);
        // First, so that a plan of another kind takes no name.
        checkOwner(id, id.name(), owner);
        if (isPlan) {
            checkOwner(id, id.knownAs(), owner);
        }
    }

    private void checkOwner(LimiterId id, String name, Owner owner) {
        Owner known = owners.asMap().putIfAbsent(List.of(id.prefix(), name), owner);
        if (known == null) {
            return;
        }
        if (!known.limiter.equals(owner.limiter)) {
            throw new IllegalArgumentException("limiter '" + id.knownAs() + "' cannot take the permits of '" + id.name()
                    + "', because statistics and live limits know those of '" + known.limiter + "' as '" + name
                    + "': give the limiter or its plan another name");
        }
        if ((known.hasPlans || owner.hasPlans) && !known.isOfKindOf(owner)) {
            throw new IllegalArgumentException("limiter '" + id.knownAs() + "' cannot be a "
                    + id.limit().getClass().getSimpleName() + ": it takes the permits of '" + id.name()
                    + "', which is of another kind, with the state " + known.stateType.getSimpleName()
                    + "; give a plan the kind of its limit, or another name or prefix");
        }
        if (owner.hasPlans && !known.hasPlans) {
            owners.put(List.of(id.prefix(), name), owner);
        }
    }

    /** Connects a new limiter with the counters of its prefix and name, and with what changes it. */
    private void connect(KeyView<?> limiter, LimiterId id) {
        OptionsInUse options = id.options();
        String name = id.knownAs();
        LimiterCounters all = counters.of(id.prefix(), name, id.limit(), options.policy(), options.ban());
        // Whatever its plan, a key is that of the limit.
        KnownBans bans = counters.bansOf(id.prefix(), id.name());
        if (all.name().equals(name)) {
            all.plan(options.plan());
            all.bans(bans);
        }
        all.namespace(options.namespace());
        all.hashTag(options.hashTag());
        all.prefetch(options.prefetch());
        if (limiter instanceof EngineLimiter<?> banning) {
            banning.banBy(options.ban(), bans);
        }
        limiter.knownAs(name);
        limiter.countIn(options.listeners() ? all : all.quiet());
        limiter.overriddenBy(overrides.of(name), overrides.keysOf(id.name()), options.live());
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

    private record KeyId(String namespace, String prefix, String name, String suffix) {}

    /**
     * A limit whose permits limiters take.
     *
     * @param hasPlans whether one of them is a plan, so that all must be of one kind
     */
    private record Owner(String limiter, Class<?> stateType, String keySuffix, boolean hasPlans) {

        boolean isOfKindOf(Owner other) {
            return stateType == other.stateType && keySuffix.equals(other.keySuffix);
        }
    }
}
