package io.limiter.internal.local;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterStatistics;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.lease.Leases;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.internal.limiter.EngineRateLimiter;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.waiting.Waits;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limiters on an engine of this process. A subclass has rate limiters of its own. */
public class LocalLimiters extends EngineLimiterFactory {

    private final Engine engine;
    private final Failover failover;
    private final Waits waits;
    private final Leases leases;
    private final ListenerNotifier notifier;
    private final BackendState state = BackendState.of(true, Instant.now(), null);

    /** They grant everything immediately and count nothing. */
    public static LocalLimiters unlimited() {
        return new LocalLimiters(
                EngineLimiterFactory.DEFAULT_MAX_CACHED, new UnlimitedEngine(), Sleeper.UNINTERRUPTIBLE);
    }

    LocalLimiters(long maxCached, Engine engine, Sleeper sleeper) {
        this(maxCached, engine, sleeper, EngineObserver.NONE, new ListenerNotifier(List.of()));
    }

    public LocalLimiters(
            long maxCached, Engine engine, Sleeper sleeper, EngineObserver observer, ListenerNotifier notifier) {
        this(maxCached, "", FailurePolicy.THROW, engine, sleeper, observer, notifier);
    }

    private LocalLimiters(
            long maxCached,
            String namespace,
            FailurePolicy policy,
            Engine engine,
            Sleeper sleeper,
            EngineObserver observer,
            ListenerNotifier notifier) {
        super(maxCached, namespace, policy, observer, notifier, sleeper.ticker());
        this.engine = engine;
        this.failover = Failover.none(engine);
        this.waits = new Waits(sleeper);
        this.leases = new Leases(engine, sleeper, false);
        this.notifier = notifier;
    }

    /**
     * Limiters that take the permits of others.
     *
     * @param policy the default failure policy, which has no effect, because an engine of this process cannot fail
     */
    protected LocalLimiters(
            LocalLimiters others,
            long maxCached,
            String namespace,
            FailurePolicy policy,
            EngineObserver observer,
            ListenerNotifier notifier) {
        this(maxCached, namespace, policy, others.engine, others.waits.sleeper(), observer, notifier);
    }

    /** There is no backend that could be down. */
    @Override
    public BackendState backendState() {
        return state;
    }

    @Override
    public Ticker ticker() {
        return waits.sleeper().ticker();
    }

    @Override
    public void close() {
        // First, while permits can still be returned.
        waits.close();
        leases.close();
        engine.close();
        notifier.close();
    }

    @Override
    public LimiterStatistics statistics() {
        return new Statistics() {
            @Override
            public int liveLeases() {
                return leases.count();
            }
        };
    }

    @Override
    protected final RateLimiter newRateLimiter(
            KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable Prefetch prefetch) {
        return newRateLimiter(keys, limit, failover, waits);
    }

    /** Makes a rate limiter on the engine. */
    protected RateLimiter newRateLimiter(KeySpace keys, TokenBucket limit, Failover onEngine, Waits waiting) {
        return new EngineRateLimiter(keys, limit, onEngine, waiting);
    }

    @Override
    protected Limiter newLimiter(KeySpace keys, Limit limit, FailurePolicy policy) {
        return new EngineLimiter<>(keys, limit, failover, waits);
    }

    @Override
    protected ConcurrencyLimiter newConcurrencyLimiter(KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy) {
        return new EngineConcurrencyLimiter(keys, limit, engine, leases);
    }
}
