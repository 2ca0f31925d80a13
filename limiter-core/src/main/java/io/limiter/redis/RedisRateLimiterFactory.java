package io.limiter.redis;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterListener;
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
import io.limiter.internal.prefetch.Prefetch;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.resilience.Breaker;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Probe;
import io.limiter.internal.resilience.UnbatchedEngine;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.Sleeper;
import io.limiter.local.LocalEngine;
import io.limiter.spi.DistributedLock;
import io.limiter.spi.Engine;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    private static final Logger log = LoggerFactory.getLogger(RedisRateLimiterFactory.class);

    private final KnownRejections denials;
    private final Engine engine;
    private final @Nullable GroupCommit shared;
    private final Probe probe;
    private final Guard guard;
    private final RedisCalls redis;
    private final boolean byScript;
    private final BlockingCalls blockingCalls;
    private final ListenerNotifier notices;
    private final Sleeper sleeper;
    private final HeldLeases leases;
    private final Engine local;
    private final HeldLeases localLeases;
    private final long retryAfterMicros;
    private final ConcurrentHashMap<FailurePolicy, Failover> policies = new ConcurrentHashMap<>();

    private RedisRateLimiterFactory(Builder settings) {
        this(settings, new ListenerNotifier(settings.listeners));
    }

    private RedisRateLimiterFactory(Builder settings, ListenerNotifier notices) {
        super(settings.cacheBounds, settings.failurePolicy, settings.observer, notices);
        this.notices = notices;
        this.guard = new Guard(
                settings.decisionTimeout,
                settings.firstDecisionTimeout,
                new Breaker(settings.probeInterval, notices),
                notices,
                settings.observer);
        this.byScript = settings.lock == null;
        this.blockingCalls = new BlockingCalls();
        this.sleeper = settings.sleeper;
        this.denials = new KnownRejections(settings.rejectionCacheSize, settings.ticker);
        this.redis = new RedisCalls(settings.connections, guard.deadlines(), settings.observer);
        Backend backend = backend(settings);
        this.shared = settings.lock == null && settings.shareCalls
                ? new GroupCommit(backend, settings.groupCommit, blockingCalls, guard)
                : null;
        Engine bounded = shared == null ? new UnbatchedEngine(backend, blockingCalls, guard) : shared;
        this.engine = new Prefetch(new RejectionCache(denials, bounded), Sleeper.UNINTERRUPTIBLE);
        this.leases = new HeldLeases(engine, sleeper, shared != null);
        this.local = new LocalEngine(settings.maxLocalKeys, settings.ticker, System.currentTimeMillis() * 1000);
        this.localLeases = new HeldLeases(local, sleeper);
        this.retryAfterMicros = Math.max(1, settings.probeInterval.toNanos() / 1000);
        this.probe = new Probe(backend);
        guard.probeBy(probe::ask);
    }

    private Backend backend(Builder settings) {
        return settings.lock == null
                ? new ScriptBackend(redis, settings.clock, denials)
                : new LockBackend(
                        redis,
                        settings.lock,
                        settings.lockWait,
                        settings.decisionTimeout,
                        settings.clock,
                        settings.ticker,
                        denials);
    }

    public static Builder builder(RedisConnectionFactory connections) {
        return new Builder(connections);
    }

    /**
     * Connects, has Redis load the scripts, and decides as a limiter does, so that the first decision of one is as fast as any.
     * Takes no permits, and does not block.
     *
     * @return whether Redis has answered; if not, that is logged, and nothing else happens
     */
    public CompletableFuture<Boolean> warmUp() {
        return BlockingCalls.start(blockingCalls, Probe.KEY, () -> probe.warmUp(engine, guard.decisionTimeout()))
                .exceptionally(e -> {
                    log.warn("The limiters could not be made ready ahead.", e);
                    return false;
                });
    }

    /** Whether Redis decides now, or the failure policies do, and for which limiters they do although Redis is there. */
    public BackendState backendState() {
        return guard.state();
    }

    /**
     * Gives back all permits that are held under leases, waiting a second for it at most, and ends its limiters: requests
     * that have not been sent yet, and all that come later, fail with {@link io.limiter.LimiterBackendException}, whatever
     * their failure policy; those that were sent are still answered. A rejection that is known already may be told for another
     * second. The connections are the application's and stay open.
     */
    @Override
    public void close() {
        leases.close();
        localLeases.close();
        engine.close();
        guard.close();
        notices.close();
        blockingCalls.shutdown();
        redis.close();
    }

    @Override
    protected int cachedRejections() {
        return denials.count();
    }

    @Override
    protected int liveLeases() {
        return leases.count() + localLeases.count();
    }

    @Override
    protected int queuedRequests() {
        return shared == null ? 0 : shared.queued();
    }

    private Failover failover(FailurePolicy policy) {
        return policies.computeIfAbsent(policy, known -> new Failover(engine, known, local, retryAfterMicros));
    }

    @Override
    protected RateLimiter newRateLimiter(KeySpace keys, TokenBucket limit, FailurePolicy policy) {
        return new RedisRateLimiter(keys, limit, failover(policy), sleeper);
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

    /** Settings of a factory; without any, it decides by script. Not safe for use by several threads. */
    public static final class Builder {

        /** How long a decision may take, unless set. */
        public static final Duration DEFAULT_DECISION_TIMEOUT = Duration.ofMillis(100);

        /** How long a decision may take until Redis has first answered, unless set. */
        public static final Duration DEFAULT_FIRST_DECISION_TIMEOUT = Duration.ofSeconds(1);

        /** The longest pause before a Redis that was away is asked again, unless set. */
        public static final Duration DEFAULT_PROBE_INTERVAL = Duration.ofMillis(500);

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
        private EngineObserver observer = EngineObserver.NONE;
        private final List<LimiterListener> listeners = new ArrayList<>();

        private Builder(RedisConnectionFactory connections) {
            this.connections = connections;
        }

        /**
         * How many limiters are kept. One that was dropped is built again when it is next asked for; its permits are in Redis
         * and not affected. Default: 100, 10,000, 5 minutes.
         *
         * @param initial for how many the cache is laid out at first, at least 0
         * @param maximum how many are kept at most, at least 1
         * @param expireAfterAccess how long an unused one is kept, more than zero
         */
        public Builder limiterCache(int initial, long maximum, Duration expireAfterAccess) {
            this.cacheBounds = new CacheBounds(initial, maximum, expireAfterAccess);
            return this;
        }

        /** Decides under this lock, by the lock engine, instead of by script. */
        public Builder lock(DistributedLock newLock) {
            this.lock = newLock;
            return this;
        }

        /**
         * How long to wait for the lock if the caller's own timeout is shorter. Default 1 s. Never longer than the
         * {@link #decisionTimeout}.
         *
         * @throws IllegalArgumentException if negative
         */
        public Builder lockWait(Duration newLockWait) {
            if (newLockWait.isNegative()) {
                throw new IllegalArgumentException("lockWait must not be negative, was " + newLockWait);
            }
            this.lockWait = newLockWait;
            return this;
        }

        /**
         * How many rejections are remembered until they can change, so that repeating them costs no call to Redis. Default
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
         * Whether decisions share calls to Redis when there are several to be made; see {@link GroupCommit}. Default
         * true; without it, each decision is a call of its own. The lock engine knows no other way.
         */
        public Builder groupCommit(boolean newGroupCommit) {
            this.shareCalls = newGroupCommit;
            return this;
        }

        /**
         * How many requests wait to be sent to Redis at most; a further one fails at once. Default 65,536.
         *
         * @throws IllegalArgumentException if less than 1
         */
        public Builder maxQueued(int newMaxQueued) {
            this.groupCommit = groupCommit.withMaxQueued(newMaxQueued);
            return this;
        }

        /**
         * How long a thread that waits for a decision yields the processor before it parks. Default 0. With a millisecond
         * a few threads get up to three times as many decisions, because none has to be woken, and a core never rests.
         * Not for virtual threads.
         *
         * @throws IllegalArgumentException if negative
         */
        public Builder yieldWhileWaiting(Duration newYield) {
            this.groupCommit = groupCommit.withYield(newYield);
            return this;
        }

        /** Is told what is done, in the threads that do it, so it must be quick. Default nobody. */
        public Builder observer(EngineObserver newObserver) {
            this.observer = newObserver;
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
         * What limiters answer when Redis does not decide, unless they are built
         * {@linkplain io.limiter.LimiterFactory#withFailurePolicy with another policy}. Default
         * {@link FailurePolicy#LOCAL}.
         */
        public Builder failurePolicy(FailurePolicy newFailurePolicy) {
            this.failurePolicy = newFailurePolicy;
            return this;
        }

        /**
         * How many keys this JVM decides by itself under {@link FailurePolicy#LOCAL} at most; of more, those are forgotten
         * that would be full again soonest. Default {@link LocalEngine#DEFAULT_MAX_KEYS}.
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
         * How long a decision may take, whatever it waits for: a connection, a lock, Redis. Then the failure policy decides.
         * Waiting for permits comes on top. Default {@link #DEFAULT_DECISION_TIMEOUT}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder decisionTimeout(Duration newDecisionTimeout) {
            this.decisionTimeout = checked("decisionTimeout", newDecisionTimeout);
            return this;
        }

        /**
         * How long a decision may take until Redis has first answered, if that is longer than the {@link #decisionTimeout}: the first
         * decisions of a JVM load classes, connect and send the scripts. It is for answers that take long; a Redis that cannot
         * be reached is tried for a decisionTimeout. Default {@link #DEFAULT_FIRST_DECISION_TIMEOUT}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder firstDecisionTimeout(Duration newFirstDecisionTimeout) {
            this.firstDecisionTimeout = checked("firstDecisionTimeout", newFirstDecisionTimeout);
            return this;
        }

        /**
         * The longest pause between the calls that ask a Redis that was away whether it is back, in the background. The
         * first is a sixteenth of it, and each further one twice as long. Default {@link #DEFAULT_PROBE_INTERVAL}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder probeInterval(Duration newProbeInterval) {
            this.probeInterval = checked("probeInterval", newProbeInterval);
            return this;
        }

        /** Is told what happens; may be called for several. */
        public Builder listener(LimiterListener listener) {
            listeners.add(listener);
            return this;
        }

        private static Duration checked(String what, Duration value) {
            if (value.toMillis() < 1 || value.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        what + " must be between PT0.001S and " + LONGEST + ", was " + value);
            }
            return value;
        }

        public RedisRateLimiterFactory build() {
            return new RedisRateLimiterFactory(this);
        }
    }
}
