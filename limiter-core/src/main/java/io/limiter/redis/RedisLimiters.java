package io.limiter.redis;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterStatistics;
import io.limiter.Prefetch;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.cache.RejectionCache;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.lease.Leases;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.prefetch.PrefetchEngine;
import io.limiter.internal.redis.FactoryAccess;
import io.limiter.internal.redis.client.RedisCalls;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Instances;
import io.limiter.internal.resilience.PolicyReport;
import io.limiter.internal.resilience.Probe;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.ServerTime;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.waiting.Waits;
import io.limiter.spi.DistributedLock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The parts of a factory, put together; and its lifetime. */
final class RedisLimiters extends EngineLimiterFactory implements FactoryAccess {

    private static final Duration LOG_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(2);
    private static final AsyncLog log = AsyncLog.of(RedisRateLimiterFactory.class);

    private final KnownRejections rejections;
    private final PrefetchEngine engine;
    private final BiFunction<Backend, Guard, GroupCommit> groupCommits;
    private final GroupCommit groupCommit;
    private final Probe probe;
    private final AtomicReference<@Nullable Extension> extension = new AtomicReference<>();
    private final Guard guard;
    private final RedisCalls redis;
    private final String clock;
    private final Ticker ticker;
    private final boolean byScript;
    private final BlockingCalls blockingCalls;
    private final ListenerNotifier notifier;
    private final Waits waits;
    private final Leases leases;
    private final Engine local;
    private final Leases localLeases;
    private final long retryAfterMicros;
    private final int hashTagCount;
    private volatile @Nullable HashTags hashTags;
    private final Instances instances;
    private final PolicyReport policyDecisions;
    private final ConcurrentHashMap<FailoverId, Failover> failovers = new ConcurrentHashMap<>();

    RedisLimiters(RedisRateLimiterFactory.Builder settings) {
        this(settings, new ListenerNotifier(settings.listeners), Observers.of(settings.listeners));
    }

    private RedisLimiters(
            RedisRateLimiterFactory.Builder settings, ListenerNotifier notifier, EngineObserver observer) {
        super(
                settings.maxCachedLimiters,
                settings.namespace,
                settings.failurePolicy,
                observer,
                notifier,
                settings.sleeper.ticker());
        this.notifier = notifier;
        this.guard = new Guard(
                settings.decisionTimeout,
                settings.firstDecisionTimeout,
                new Breakers(settings.probeInterval, notifier),
                notifier,
                observer);
        this.policyDecisions = new PolicyReport(statistics()::totals, settings.ticker);
        this.instances = new Instances(settings.expectedInstances);
        this.byScript = settings.lock == null;
        this.clock = settings.clock;
        this.ticker = settings.ticker;
        this.blockingCalls = guard.deadlines().calls();
        Sleeper sleeper = settings.sleeper == Sleeper.UNINTERRUPTIBLE
                ? Sleeper.with(guard.deadlines().callbacks())
                : settings.sleeper;
        this.waits = new Waits(sleeper);
        this.rejections = new KnownRejections(settings.rejectionCacheSize, settings.ticker);
        this.redis = RedisCalls.of(Objects.requireNonNull(settings.connections), guard.deadlines(), observer);
        ServerTime time = ServerTime.ofThisMachine(settings.ticker);
        Backend backend = backend(settings, time);
        GroupCommit.Settings calls = settings.lock == null && settings.shareCalls
                ? settings.groupCommit
                : settings.groupCommit.withOwnCalls();
        this.groupCommits = (some, guarded) -> new GroupCommit(some, calls, blockingCalls, guarded);
        this.groupCommit = groupCommits.apply(backend, guard);
        this.engine = new PrefetchEngine(new RejectionCache(rejections, groupCommit), Sleeper.UNINTERRUPTIBLE);
        this.leases = new Leases(engine, sleeper, calls.sharesCalls());
        LocalEngine fallback = new LocalEngine(settings.maxLocalKeys, ServerTime.ofThisMachine(settings.ticker), time);
        fallback.dropExpiredBy(sleeper);
        this.local = fallback;
        this.localLeases = new Leases(local, sleeper, false);
        this.retryAfterMicros = Math.max(1, settings.probeInterval.toNanos() / 1000);
        this.hashTagCount = settings.hashTags;
        this.probe = new Probe(backend, redis);
        guard.probeBy(redis, key -> {
            probe.probe(key);
            Extension added = extension.get();
            if (added != null) {
                // Before the circuit breaker closes.
                added.recovered(guard.decisionTimeout());
            }
        });
    }

    private Backend backend(RedisRateLimiterFactory.Builder settings, ServerTime time) {
        DistributedLock lock =
                settings.lock instanceof RedisLock ours ? ours.over(redis, settings.decisionTimeout) : settings.lock;
        return lock == null
                ? new ScriptBackend(redis, settings.clock, time, rejections)
                : new LockBackend(
                        redis,
                        lock,
                        settings.lockWait,
                        settings.decisionTimeout,
                        settings.clock,
                        time,
                        settings.ticker,
                        rejections);
    }

    CompletableFuture<Boolean> warmUp() {
        // Later calls do not wait for a first answer again.
        guard.deadlines().ensureChecking();
        return BlockingCalls.start(blockingCalls, Probe.KEY, () -> {
                    boolean answered = probe.warmUp(engine, guard.decisionTimeout(), blockingCalls, LONGEST_WARM_UP);
                    Extension added = extension.get();
                    if (answered && added != null) {
                        // So that the instances are counted before Redis can fail.
                        added.recovered(LONGEST_WARM_UP);
                    }
                    FailureWarmUp.run(groupCommits, local);
                    return answered;
                })
                .exceptionally(e -> {
                    log.warn("The limiters could not be made ready ahead.", e);
                    return false;
                });
    }

    @Override
    public RedisCalls redis() {
        return redis;
    }

    @Override
    public String clock() {
        return clock;
    }

    @Override
    public Ticker ticker() {
        return ticker;
    }

    @Override
    public Duration decisionTimeout() {
        return guard.decisionTimeout();
    }

    @Override
    public BackendState backendState() {
        return policyDecisions.withUndecided(guard.state());
    }

    @Override
    public Instances instances() {
        return instances;
    }

    @Override
    public boolean add(Extension added) {
        return extension.compareAndSet(null, added);
    }

    @Override
    public @Nullable Extension extension() {
        return extension.get();
    }

    @Override
    public void close() {
        Extension added = extension.updateAndGet(found -> found == null ? Extension.NONE : found);
        added.close();
        // First, while permits can still be returned.
        waits.close();
        leases.close();
        localLeases.close();
        engine.close();
        guard.close();
        notifier.close();
        redis.close();
        AsyncLog.flush(LOG_TIMEOUT);
    }

    @Override
    protected HashTags hashTags() {
        HashTags known = hashTags;
        return known == null ? findHashTags() : known;
    }

    /** Not before a key is needed, because the connections may not be started yet. */
    private HashTags findHashTags() {
        Boolean cluster = redis.cluster();
        if (cluster == null) {
            return HashTags.UNKNOWN;
        }
        HashTags found = cluster ? new HashTags(hashTagCount, redis::slotOf) : HashTags.NONE;
        hashTags = found;
        return found;
    }

    @Override
    public LimiterStatistics statistics() {
        return new Statistics() {
            @Override
            public int cachedRejections() {
                return rejections.count();
            }

            @Override
            public int liveLeases() {
                return leases.count() + localLeases.count();
            }

            @Override
            public int queuedRequests() {
                return groupCommit.queued();
            }
        };
    }

    private Failover failover(FailurePolicy policy) {
        return failover(policy, null);
    }

    private Failover failover(FailurePolicy policy, @Nullable Prefetch prefetch) {
        return failovers.computeIfAbsent(
                new FailoverId(policy, prefetch),
                id -> new Failover(
                        prefetch == null ? engine : engine.with(prefetch),
                        policy,
                        local,
                        instances,
                        policyDecisions,
                        retryAfterMicros));
    }

    @Override
    protected EngineRedisRateLimiter newRateLimiter(
            KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable Prefetch prefetch) {
        return new EngineRedisRateLimiter(keys, limit, failover(policy, prefetch), waits);
    }

    @Override
    protected ConcurrencyLimiter newConcurrencyLimiter(KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy) {
        return new EngineConcurrencyLimiter(keys, limit, failover(policy), leases, localLeases);
    }

    @Override
    protected Limiter newLimiter(KeySpace keys, Limit limit, FailurePolicy policy) {
        if (byScript) {
            LimitScripts.of(limit.asStep());
        }
        return new EngineLimiter<>(keys, limit, failover(policy), waits);
    }

    private record FailoverId(
            FailurePolicy policy, @Nullable Prefetch prefetch) {}
}
