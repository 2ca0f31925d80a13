package io.limiter.redis;

import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.factory.DefinedLimits;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.spi.DistributedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The settings of a factory that say how it decides, who hears of it, and which limits it knows. Not safe for use by several threads. */
abstract class EngineSettings {

    private static final Duration LONGEST_LOCK_WAIT = Duration.ofHours(1);

    long maxCachedLimiters = EngineLimiterFactory.DEFAULT_MAX_CACHED;

    @Nullable
    DistributedLock lock;

    Duration lockWait = LockBackend.DEFAULT_LOCK_WAIT;
    int rejectionCacheSize = KnownRejections.DEFAULT_SIZE;
    boolean shareCalls = true;
    GroupCommit.Settings groupCommit = GroupCommit.Settings.DEFAULT;
    final List<LimiterListener> listeners = new ArrayList<>();
    final DefinedLimits defined = new DefinedLimits();

    EngineSettings() {}

    abstract RedisRateLimiterFactory.Builder self();

    /**
     * Bounds how many limiters are kept for their next use. They are also evicted after 5 minutes without use. An evicted limiter is built again when
     * it is needed, and its permits are in Redis. Default 10,000.
     *
     * @throws IllegalArgumentException if less than 1
     */
    public RedisRateLimiterFactory.Builder maxCachedLimiters(long newMaximum) {
        this.maxCachedLimiters = EngineLimiterFactory.checkMaxCached(newMaximum);
        return self();
    }

    /** Uses the lock engine, under this lock, instead of the script engine. */
    public RedisRateLimiterFactory.Builder lock(DistributedLock newLock) {
        this.lock = Objects.requireNonNull(newLock, "lock");
        return self();
    }

    /**
     * How long to wait for the lock if the caller's own timeout is shorter. Default 1 s. Never longer than the
     * {@link RedisRateLimiterFactory.Builder#decisionTimeout}, so tests alone need another one.
     */
    RedisRateLimiterFactory.Builder lockWait(Duration newLockWait) {
        if (Objects.requireNonNull(newLockWait, "lockWait").isNegative()) {
            throw new IllegalArgumentException("lockWait must not be negative, was " + newLockWait);
        }
        this.lockWait = newLockWait.compareTo(LONGEST_LOCK_WAIT) > 0 ? LONGEST_LOCK_WAIT : newLockWait;
        return self();
    }

    /**
     * The number of rejections in the rejection cache, which repeats them without a call to Redis until they can change.
     * Default 16,384, and 0 for none.
     *
     * @throws IllegalArgumentException if less than 0 or more than 16,777,216
     */
    public RedisRateLimiterFactory.Builder rejectionCacheSize(int newRejectionCacheSize) {
        KnownRejections.checkSize(newRejectionCacheSize);
        this.rejectionCacheSize = newRejectionCacheSize;
        return self();
    }

    /**
     * Whether concurrent decisions share calls to Redis. Default true. Otherwise, and with the lock engine, each decision has its own call.
     */
    public RedisRateLimiterFactory.Builder groupCommit(boolean newGroupCommit) {
        this.shareCalls = newGroupCommit;
        return self();
    }

    /**
     * The maximum number of requests, and of limit sets, that are queued for Redis, in a Redis Cluster for each slot. Any more are
     * rejected. Default 65,536. Only {@link #groupCommit group commit} queues requests.
     *
     * @throws IllegalArgumentException if less than 1
     */
    public RedisRateLimiterFactory.Builder maxQueued(int newMaxQueued) {
        this.groupCommit = groupCommit.withMaxQueued(newMaxQueued);
        return self();
    }

    /**
     * For how much processor time a thread that waits for a decision yields before it parks, if many wait, or if a call
     * to Redis takes no longer than that. Default 5 µs, and 0 for none. With 1 ms, a few threads keep a core busy, and decide
     * faster only if nothing else needs it. Virtual threads park immediately.
     *
     * @throws IllegalArgumentException if negative
     */
    public RedisRateLimiterFactory.Builder yieldWhileWaiting(Duration newYield) {
        this.groupCommit = groupCommit.withYield(Objects.requireNonNull(newYield, "yield"));
        return self();
    }

    /** Adds a listener. */
    public RedisRateLimiterFactory.Builder listener(LimiterListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return self();
    }

    /**
     * Defines a limit by its name, for {@link RedisRateLimiterFactory#rateLimiter(String)} and similar methods. In Spring,
     * {@code limiter.limits.<name>} replaces it.
     *
     * @param options the options of its limiters. With a {@linkplain LimiterOptions#withPlan plan}, it is the definition of that plan
     * @throws IllegalArgumentException if the name is blank or defined already
     */
    public RedisRateLimiterFactory.Builder define(String name, AnyLimit limit, LimiterOptions options) {
        defined.define(name, limit, options);
        return self();
    }
}
