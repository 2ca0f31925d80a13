package io.limiter.redis;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterListener;
import io.limiter.PrefetchTerms;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.cache.RejectionCache;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.lease.HeldLeases;
import io.limiter.internal.limiter.CacheBounds;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.limiter.EngineLimiterFactory;
import io.limiter.internal.live.LivePoller;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.prefetch.Prefetch;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.client.RedisHints;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Probe;
import io.limiter.internal.resilience.UnbatchedEngine;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.Sleeper;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.local.LocalEngine;
import io.limiter.spi.DistributedLock;
import io.limiter.spi.Engine;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Builds limiters whose permits are in Redis 6.2 or later, standalone, Sentinel or Cluster, over the application's own
 * connections, of Lettuce or of Jedis.
 *
 * <pre>{@code
 * LimiterFactory limiters = RedisRateLimiterFactory.builder(connectionFactory).build();
 * RateLimiter sms = limiters.build("sms", 1.0 / 60, 60, 60);
 * if (!sms.tryAcquire(phone)) { ... }
 * }</pre>
 */
public final class RedisRateLimiterFactory extends EngineLimiterFactory {

    private static final Duration LOG_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(2);
    private static final AsyncLog log = AsyncLog.of(RedisRateLimiterFactory.class);

    private final KnownRejections rejections;
    private final Prefetch engine;
    private final BiFunction<Backend, Guard, Engine> bounding;
    private final @Nullable GroupCommit groupCommit;
    private final Probe probe;
    private final @Nullable LivePoller live;
    private final Guard guard;
    private final RedisCalls redis;
    private final boolean byScript;
    private final BlockingCalls blockingCalls;
    private final ListenerNotifier notifier;
    private final Sleeper sleeper;
    private final HeldLeases leases;
    private final Engine local;
    private final HeldLeases localLeases;
    private final long retryAfterMicros;
    private final ConcurrentHashMap<FailoverId, Failover> failovers = new ConcurrentHashMap<>();

    private RedisRateLimiterFactory(Builder settings) {
        this(settings, new ListenerNotifier(settings.listeners), new Observers(settings.observers));
    }

    private RedisRateLimiterFactory(Builder settings, ListenerNotifier notifier, EngineObserver observer) {
        super(settings.cacheBounds, settings.failurePolicy, observer, notifier, settings.sleeper.ticker());
        this.notifier = notifier;
        this.guard = new Guard(
                settings.decisionTimeout,
                settings.firstDecisionTimeout,
                new Breakers(settings.probeInterval, notifier),
                notifier,
                observer);
        this.byScript = settings.lock == null;
        this.blockingCalls = guard.deadlines().calls();
        this.sleeper = settings.sleeper == Sleeper.UNINTERRUPTIBLE
                ? Sleeper.with(guard.deadlines().callbacks())
                : settings.sleeper;
        this.rejections = new KnownRejections(settings.rejectionCacheSize, settings.ticker);
        this.redis = new RedisCalls(settings.connections, guard.deadlines(), observer);
        Backend backend = backend(settings);
        GroupCommit.Settings shared = settings.groupCommit;
        this.bounding = settings.lock == null && settings.shareCalls
                ? (some, guarded) -> new GroupCommit(some, shared, blockingCalls, guarded)
                : (some, guarded) -> new UnbatchedEngine(some, blockingCalls, guarded);
        Engine bounded = bounding.apply(backend, guard);
        this.groupCommit = bounded instanceof GroupCommit batching ? batching : null;
        this.engine = new Prefetch(new RejectionCache(rejections, bounded), Sleeper.UNINTERRUPTIBLE);
        this.leases = new HeldLeases(engine, sleeper, groupCommit != null);
        this.local = new LocalEngine(settings.maxLocalKeys, settings.ticker, System.currentTimeMillis() * 1000);
        this.localLeases = new HeldLeases(local, sleeper);
        this.retryAfterMicros = Math.max(1, settings.probeInterval.toNanos() / 1000);
        this.probe = new Probe(backend);
        guard.nodesOf(backend);
        LivePoller poller = settings.liveLimits == null ? null : live(settings, settings.liveLimits);
        this.live = poller;
        guard.probeBy(key -> {
            probe.ask(key);
            if (poller != null) {
                // Before the circuit breaker closes, so that Redis decides under the limits of now.
                poller.pollWithin(settings.decisionTimeout);
            }
        });
    }

    private LivePoller live(Builder settings, LiveOptions options) {
        return LivePoller.start(
                new LivePoller.Parts(
                        redis,
                        settings.clock,
                        settings.decisionTimeout,
                        settings.ticker,
                        overrides(),
                        () -> statistics().totals(),
                        () -> backendText(guard.state()),
                        settings.liveHints ? new RedisHints(settings.connections) : null),
                options);
    }

    private static String backendText(BackendState state) {
        if (!state.up()) {
            return "unavailable: " + String.join(", ", state.unavailableNodes());
        }
        return state.failing().isEmpty()
                ? "available"
                : "available, " + state.failing().size() + " limiters fail";
    }

    private Backend backend(Builder settings) {
        return settings.lock == null
                ? new ScriptBackend(redis, settings.clock, rejections)
                : new LockBackend(
                        redis,
                        settings.lock,
                        settings.lockWait,
                        settings.decisionTimeout,
                        settings.clock,
                        settings.ticker,
                        rejections);
    }

    public static Builder builder(RedisConnectionFactory connections) {
        return new Builder(connections);
    }

    /**
     * Connects, loads the scripts, makes a few decisions, and a few more that fail, so that the first decision of a limiter, and
     * the first that Redis does not answer, is as fast as later ones. Takes no permits and does not block. Waits 2 s at most for
     * Redis, however long the client connects.
     *
     * @return whether Redis has answered; if not, that is only logged
     */
    public CompletableFuture<Boolean> warmUp() {
        // Later calls do not wait for a first answer again.
        guard.deadlines().ensureChecking();
        return BlockingCalls.start(blockingCalls, Probe.KEY, () -> {
                    boolean answered = probe.warmUp(engine, guard.decisionTimeout(), blockingCalls, LONGEST_WARM_UP);
                    FailureWarmUp.run(bounding, local);
                    return answered;
                })
                .exceptionally(e -> {
                    log.warn("The limiters could not be made ready ahead.", e);
                    return false;
                });
    }

    /** Whether Redis is available, and which limiters fail although it is. */
    public BackendState backendState() {
        return guard.state();
    }

    /**
     * Releases all leases, waiting a second at most, and closes the limiters.
     *
     * <p>Requests that have not been sent, and all later ones, fail with {@link io.limiter.LimiterBackendException}, whatever
     * their failure policy; those that were sent are still answered. The rejection cache may reject for another second. The
     * connections belong to the application and stay open.
     */
    @Override
    public void close() {
        if (live != null) {
            live.close();
        }
        leases.close();
        localLeases.close();
        engine.close();
        guard.close();
        notifier.close();
        redis.close();
        AsyncLog.flush(LOG_TIMEOUT);
    }

    @Override
    public LiveLimits live() {
        return live == null ? super.live() : live.limits();
    }

    /**
     * Ends polls and the subscription of live limits, as is needed before the connection factory stops. Live limits stay in
     * effect. Does nothing without live limits.
     */
    public void pauseLive() {
        if (live != null) {
            live.pause();
        }
    }

    /** Sees changes of live limits again after {@link #pauseLive}; does nothing otherwise. */
    public void resumeLive() {
        if (live != null) {
            live.resume();
        }
    }

    /** Reads live limits now, for tests. */
    void pollLiveLimits() {
        Objects.requireNonNull(live, "without live limits").poll();
    }

    @Override
    protected int cachedRejections() {
        return rejections.count();
    }

    @Override
    protected int liveLeases() {
        return leases.count() + localLeases.count();
    }

    @Override
    protected int queuedRequests() {
        return groupCommit == null ? 0 : groupCommit.queued();
    }

    private Failover failover(FailurePolicy policy) {
        return failover(policy, null);
    }

    private Failover failover(FailurePolicy policy, @Nullable PrefetchTerms prefetch) {
        return failovers.computeIfAbsent(
                new FailoverId(policy, prefetch),
                id -> new Failover(prefetch == null ? engine : engine.with(prefetch), policy, local, retryAfterMicros));
    }

    @Override
    protected RateLimiter newRateLimiter(
            KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable PrefetchTerms prefetch) {
        return new RedisRateLimiter(keys, limit, failover(policy, prefetch), sleeper);
    }

    @Override
    protected ConcurrencyLimiter newConcurrencyLimiter(KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy) {
        return new EngineConcurrencyLimiter(keys, limit, failover(policy), leases, localLeases);
    }

    @Override
    protected Limiter newLimiter(KeySpace keys, Limit<?> limit, FailurePolicy policy) {
        if (byScript) {
            LimitScripts.of(limit);
        }
        return new EngineLimiter<>(keys, limit, failover(policy));
    }

    private record FailoverId(
            FailurePolicy policy, @Nullable PrefetchTerms prefetch) {}

    /** Settings of a factory; without any, it decides by script. Not safe for use by several threads. */
    public static final class Builder {

        /** How long a decision may take, unless set. */
        public static final Duration DEFAULT_DECISION_TIMEOUT = Duration.ofMillis(100);

        /** How long a decision may take until Redis has first answered, unless set. */
        public static final Duration DEFAULT_FIRST_DECISION_TIMEOUT = Duration.ofSeconds(1);

        /** The longest pause between probes of an unavailable Redis, unless set. */
        public static final Duration DEFAULT_PROBE_INTERVAL = Duration.ofMillis(500);

        private static final Duration SHORTEST = Duration.ofMillis(1);
        private static final Duration LONGEST = Duration.ofHours(1);

        private final RedisConnectionFactory connections;
        private CacheBounds cacheBounds = CacheBounds.DEFAULT;
        private @Nullable DistributedLock lock;
        private Duration lockWait = LockBackend.DEFAULT_LOCK_WAIT;
        private String clock = LuaScript.resource(LimitScripts.class, "clock.lua");
        private Ticker ticker = Ticker.systemTicker();
        private int rejectionCacheSize = KnownRejections.DEFAULT_SIZE;
        private boolean shareCalls = true;
        private GroupCommit.Settings groupCommit = GroupCommit.Settings.DEFAULT;
        private Sleeper sleeper = Sleeper.UNINTERRUPTIBLE;
        private FailurePolicy failurePolicy = FailurePolicy.LOCAL;
        private Duration decisionTimeout = DEFAULT_DECISION_TIMEOUT;
        private Duration firstDecisionTimeout = DEFAULT_FIRST_DECISION_TIMEOUT;
        private Duration probeInterval = DEFAULT_PROBE_INTERVAL;
        private int maxLocalKeys = LocalEngine.DEFAULT_MAX_KEYS;
        private final List<EngineObserver> observers = new ArrayList<>();
        private @Nullable LiveOptions liveLimits;
        private boolean liveHints = true;
        private final List<LimiterListener> listeners = new ArrayList<>();

        private Builder(RedisConnectionFactory connections) {
            this.connections = Objects.requireNonNull(connections, "connections");
        }

        /**
         * Bounds the cache of limiters. An evicted limiter is built again when needed; its permits are in Redis. Default: 100,
         * 10,000, 5 minutes.
         *
         * @param initial initial capacity, at least 0
         * @param maximum maximum size, at least 1
         * @param expireAfterAccess how long an unused limiter is kept, more than zero
         */
        public Builder limiterCache(int initial, long maximum, Duration expireAfterAccess) {
            this.cacheBounds = new CacheBounds(initial, maximum, expireAfterAccess);
            return this;
        }

        /** Decides by the lock engine, under this lock, instead of by script. */
        public Builder lock(DistributedLock newLock) {
            this.lock = Objects.requireNonNull(newLock, "lock");
            return this;
        }

        /**
         * How long to wait for the lock if the caller's own timeout is shorter. Default 1 s. Never longer than the
         * {@link #decisionTimeout}.
         *
         * @throws IllegalArgumentException if negative
         */
        public Builder lockWait(Duration newLockWait) {
            if (Objects.requireNonNull(newLockWait, "lockWait").isNegative()) {
                throw new IllegalArgumentException("lockWait must not be negative, was " + newLockWait);
            }
            this.lockWait = newLockWait.compareTo(LONGEST) > 0 ? LONGEST : newLockWait;
            return this;
        }

        /**
         * The size of the rejection cache, which repeats rejections without a call to Redis until they can change. Default
         * {@link KnownRejections#DEFAULT_SIZE}; 0 for none.
         *
         * @throws IllegalArgumentException if less than 0 or more than 16,777,216
         */
        public Builder rejectionCacheSize(int newRejectionCacheSize) {
            KnownRejections.checkSize(newRejectionCacheSize);
            this.rejectionCacheSize = newRejectionCacheSize;
            return this;
        }

        /**
         * Whether concurrent decisions share calls to Redis; see {@link GroupCommit}. Default true; otherwise, and with the
         * lock engine, each decision is a call of its own.
         */
        public Builder groupCommit(boolean newGroupCommit) {
            this.shareCalls = newGroupCommit;
            return this;
        }

        /**
         * The maximum number of requests queued for Redis, in a Redis Cluster for each slot; further ones fail at once. Default
         * 65,536. Only {@link #groupCommit group commit} queues requests.
         *
         * @throws IllegalArgumentException if less than 1
         */
        public Builder maxQueued(int newMaxQueued) {
            this.groupCommit = groupCommit.withMaxQueued(newMaxQueued);
            return this;
        }

        /**
         * For how much processor time a thread that waits for a decision yields before it parks, if many wait, or if a call
         * to Redis takes no longer than that. Default 5 µs; 0 for none. With 1 ms, a few threads keep a core busy, and decide
         * faster only where nothing else needs it. Virtual threads park at once.
         *
         * @throws IllegalArgumentException if negative
         */
        public Builder yieldWhileWaiting(Duration newYield) {
            this.groupCommit = groupCommit.withYield(Objects.requireNonNull(newYield, "yield"));
            return this;
        }

        /** Adds an observer, which observes calls and decisions on the threads that make them, so it must be fast. */
        public Builder observer(EngineObserver observer) {
            observers.add(Objects.requireNonNull(observer, "observer"));
            return this;
        }

        /** Lua that sets {@code now}, for tests. */
        Builder clock(String newClock, Ticker newTicker) {
            this.clock = newClock;
            this.ticker = newTicker;
            return this;
        }

        Builder sleeper(Sleeper newSleeper) {
            this.sleeper = newSleeper;
            return this;
        }

        /**
         * Decides when Redis does not, for limiters that are not built
         * {@linkplain io.limiter.LimiterFactory#withFailurePolicy with another policy}. Default {@link FailurePolicy#LOCAL}.
         */
        public Builder failurePolicy(FailurePolicy newFailurePolicy) {
            this.failurePolicy = Objects.requireNonNull(newFailurePolicy, "failurePolicy");
            return this;
        }

        /**
         * The maximum number of keys of the local fallback; beyond it, those that would be full again soonest are evicted.
         * Default {@link LocalEngine#DEFAULT_MAX_KEYS}.
         *
         * @throws IllegalArgumentException if less than 1
         */
        public Builder maxLocalKeys(int newMaxLocalKeys) {
            if (newMaxLocalKeys < 1) {
                throw new IllegalArgumentException("maxLocalKeys must be at least 1, was " + newMaxLocalKeys);
            }
            this.maxLocalKeys = newMaxLocalKeys;
            return this;
        }

        /**
         * How long a decision may take, including a connection, a lock and Redis. Then the failure policy decides. The wait for
         * permits is not included. Default {@link #DEFAULT_DECISION_TIMEOUT}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder decisionTimeout(Duration newDecisionTimeout) {
            this.decisionTimeout = checked("decisionTimeout", newDecisionTimeout);
            return this;
        }

        /**
         * How long a decision may take until Redis has first answered, if that is longer than the {@link #decisionTimeout}: the
         * first decisions of a JVM load classes, connect and send the scripts. It ends that long after the first of them, or after
         * the start of the {@linkplain RedisRateLimiterFactory#warmUp warm-up}: while Redis cannot be reached, later decisions have the decisionTimeout.
         * One that refuses connections is tried for the decisionTimeout in any case. Default {@link #DEFAULT_FIRST_DECISION_TIMEOUT}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder firstDecisionTimeout(Duration newFirstDecisionTimeout) {
            this.firstDecisionTimeout = checked("firstDecisionTimeout", newFirstDecisionTimeout);
            return this;
        }

        /**
         * The longest pause between the probes of an unavailable Redis, which run in the background. The first probe comes at
         * once, the second after a sixteenth of it, and each further one after twice as long. Default {@link #DEFAULT_PROBE_INTERVAL}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder probeInterval(Duration newProbeInterval) {
            this.probeInterval = checked("probeInterval", newProbeInterval);
            return this;
        }

        /** Lets limits be changed while the fleet runs, see {@link io.limiter.LimiterFactory#live}. Default: not. */
        public Builder liveLimits(LiveOptions newLiveLimits) {
            this.liveLimits = Objects.requireNonNull(newLiveLimits, "liveLimits");
            return this;
        }

        /** Whether live limits are also seen over pub/sub, for tests. */
        Builder liveHints(boolean newLiveHints) {
            this.liveHints = newLiveHints;
            return this;
        }

        /** Adds a listener. */
        public Builder listener(LimiterListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        private static Duration checked(String what, Duration value) {
            if (Objects.requireNonNull(value, what).compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        what + " must be between " + SHORTEST + " and " + LONGEST + ", was " + value);
            }
            return value;
        }

        public RedisRateLimiterFactory build() {
            return new RedisRateLimiterFactory(this);
        }
    }
}
