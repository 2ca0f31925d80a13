package io.limiter.redis;

import com.google.common.base.Ticker;
import io.limiter.ConcurrencyLimiter;
import io.limiter.CountLimiter;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.engine.BlockingCalls;
import io.limiter.engine.CacheBounds;
import io.limiter.engine.Denials;
import io.limiter.engine.DenyCache;
import io.limiter.engine.Engine;
import io.limiter.engine.EngineConcurrencyLimiter;
import io.limiter.engine.EngineLimiterFactory;
import io.limiter.engine.GroupCommit;
import io.limiter.engine.HeldLeases;
import io.limiter.engine.Leases;
import io.limiter.engine.Sleeper;
import io.limiter.engine.UntimedLimiter;
import java.time.Duration;
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
public final class RedisRateLimiterFactory extends EngineLimiterFactory implements AutoCloseable {

    private final Engine engine;
    private final boolean byScript;
    private final BlockingCalls blockingCalls;
    private final Sleeper sleeper;
    private final HeldLeases leases;

    private RedisRateLimiterFactory(
            CacheBounds cacheBounds, Engine engine, boolean byScript, BlockingCalls blockingCalls, Sleeper sleeper) {
        super(cacheBounds);
        this.byScript = byScript;
        this.engine = engine;
        this.blockingCalls = blockingCalls;
        this.sleeper = sleeper;
        this.leases = new HeldLeases(engine, sleeper);
    }

    public static Builder builder(RedisConnectionFactory connections) {
        return new Builder(connections);
    }

    /**
     * Gives back all permits that are held under leases, waiting a second for it at most, and ends its limiters: requests that have not been sent yet, and all that come later, fail with
     * {@link io.limiter.LimiterBackendException}; those that were sent are still answered. A refusal that is known
     * already may be told for another second. The connections are the application's and stay open.
     */
    @Override
    public void close() {
        leases.close();
        engine.close();
        blockingCalls.shutdown();
    }

    @Override
    protected RateLimiter newRateLimiter(String name, String prefix, TokenBucket limit) {
        return new RedisRateLimiter(name, prefix, limit, engine, sleeper);
    }

    @Override
    protected CountLimiter newCountLimiter(String name, String prefix, FixedWindow limit) {
        return new RedisCountLimiter(name, prefix, limit, engine);
    }

    @Override
    protected ConcurrencyLimiter newConcurrencyLimiter(String name, String prefix, ConcurrencyLimit limit) {
        return new EngineConcurrencyLimiter(name, prefix, limit, engine, leases);
    }

    @Override
    protected Limiter newLimiter(String name, String prefix, Limit<?> limit) {
        if (byScript) {
            ScriptedLimit.of(limit);
        }
        return new UntimedLimiter(name, prefix, limit, engine);
    }

    /** Settings of a factory; without any, it decides by script. Not safe for use by several threads. */
    public static final class Builder {

        private final RedisConnectionFactory connections;
        private CacheBounds cacheBounds = CacheBounds.DEFAULT;
        private @Nullable DistributedLock lock;
        private Duration lockWait = LockEngine.DEFAULT_LOCK_WAIT;
        private String clock = LuaScript.resource("clock.lua");
        private Ticker ticker = Ticker.systemTicker();
        private int denyCacheSize = Denials.DEFAULT_SIZE;
        private boolean shareCalls = true;
        private GroupCommit.Settings groupCommit = GroupCommit.Settings.DEFAULT;
        private Sleeper sleeper = Sleeper.UNINTERRUPTIBLE;

        private Builder(RedisConnectionFactory connections) {
            this.connections = connections;
        }

        /** How many limiters are kept. Default {@link CacheBounds#DEFAULT}. */
        public Builder cacheBounds(CacheBounds newCacheBounds) {
            this.cacheBounds = newCacheBounds;
            return this;
        }

        /** Decides under this lock, by the lock engine, instead of by script. */
        public Builder lock(DistributedLock newLock) {
            this.lock = newLock;
            return this;
        }

        /**
         * How long to wait for the lock if the caller's own timeout is shorter. Default 1 s.
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
         * How many refusals are remembered until they can change, so that repeating them costs no call to Redis. Default
         * {@link Denials#DEFAULT_SIZE}; 0 for none.
         *
         * @throws IllegalArgumentException if less than 0 or more than 16,777,216
         */
        public Builder denyCacheSize(int newDenyCacheSize) {
            Denials.checkSize(newDenyCacheSize);
            this.denyCacheSize = newDenyCacheSize;
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

        public RedisRateLimiterFactory build() {
            Denials denials = new Denials(denyCacheSize, ticker);
            BlockingCalls blockingCalls = new BlockingCalls();
            Engine deciding = deciding(denials, blockingCalls);
            Engine engine = new Leases(new DenyCache(denials, deciding), Sleeper.UNINTERRUPTIBLE);
            return new RedisRateLimiterFactory(cacheBounds, engine, lock == null, blockingCalls, sleeper);
        }

        private Engine deciding(Denials denials, BlockingCalls blockingCalls) {
            RedisCalls redis = new RedisCalls(connections);
            if (lock != null) {
                return new LockEngine(redis, lock, lockWait, clock, ticker, denials, blockingCalls);
            }
            ScriptEngine script = new ScriptEngine(redis, clock, denials, blockingCalls);
            return shareCalls ? new GroupCommit(script, groupCommit, blockingCalls) : script;
        }
    }
}
