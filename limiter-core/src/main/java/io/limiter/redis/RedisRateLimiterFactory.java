package io.limiter.redis;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.FailurePolicy;
import io.limiter.ForwardingLimiterFactory;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.factory.EngineLimiterFactory;
import io.limiter.internal.factory.FactoryView;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.local.LocalEngine;
import io.limiter.internal.local.LocalLimiters;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.internal.redis.script.LimitScripts;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.statistics.Observers;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.waiting.Waits;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Builds limiters whose permits are in Redis 6.2 or later, standalone, with Sentinel or in a Cluster. It uses the application's own Lettuce or
 * Jedis connections.
 *
 * <pre>{@code
 * RedisRateLimiterFactory limiters = RedisRateLimiterFactory.builder(connectionFactory).build();
 * RedisRateLimiter sms = limiters.build("sms", 1.0 / 60, 60, 60);
 * if (!sms.tryAcquire(phone)) { ... }
 * }</pre>
 */
public final class RedisRateLimiterFactory extends ForwardingLimiterFactory {

    private final FactoryView view;

    /** {@code null} if the limiters decide in this process. */
    private final @Nullable RedisLimiters redis;

    private RedisRateLimiterFactory(FactoryView view) {
        super(view);
        this.view = view;
        this.redis = view.limiters() instanceof RedisLimiters overRedis ? overRedis : null;
    }

    public static Builder builder(RedisConnectionFactory connections) {
        return new Builder(Objects.requireNonNull(connections, "connections"), null);
    }

    /**
     * Settings of a factory that makes no call to Redis, so that a program written for Redis runs without it: if limits are disabled, in this
     * process alone, and in tests. It takes the permits of another factory, and settings for Redis have no effect.
     *
     * @param decides a {@link io.limiter.local.LocalLimiterFactory}, or that of {@code limiter-test}
     * @throws IllegalArgumentException if it decides elsewhere
     */
    public static Builder localBuilder(LimiterFactory decides) {
        if (EngineLimiterFactory.of(Objects.requireNonNull(decides, "decides")) instanceof LocalLimiters local) {
            return new Builder(null, local);
        }
        throw new IllegalArgumentException(
                "decides must be a factory of this process, such as a LocalLimiterFactory, was " + decides);
    }

    @Override
    public RedisRateLimiter build(String name, TokenBucket limit) {
        return (RedisRateLimiter) super.build(name, limit);
    }

    @Override
    public RedisRateLimiter build(String name, double permitsPerSecond, double maxBurstSeconds, long expireSeconds) {
        return (RedisRateLimiter) super.build(name, permitsPerSecond, maxBurstSeconds, expireSeconds);
    }

    @Override
    public RedisRateLimiter rateLimiter(String name) {
        return (RedisRateLimiter) super.rateLimiter(name);
    }

    @Override
    public RedisRateLimiterFactory with(LimiterOptions options) {
        return new RedisRateLimiterFactory(view.with(options));
    }

    /**
     * Connects, loads the scripts, and makes a few decisions, and a few more that fail, so that a limiter's first decision, and the first one
     * that Redis does not answer, are as fast as later ones. Takes no permits and does not block. Waits at most 2 s for Redis, however long the
     * client takes to connect.
     *
     * @return whether Redis has answered. If it has not, that is only logged
     */
    public CompletableFuture<Boolean> warmUp() {
        return redis == null ? CompletableFuture.completedFuture(true) : redis.warmUp();
    }

    /** The default failure policy of its limiters. */
    public FailurePolicy failurePolicy() {
        return view.failurePolicy();
    }

    /** Whether Redis is available, and which limiters fail although it is. */
    public BackendState backendState() {
        return view.limiters().backendState();
    }

    /**
     * How many instances live limits have recently counted, including this one. While Redis is unavailable, it is the last count before. It is
     * never less than {@link Builder#expectedInstances}, and equal to that without live limits and before the first count. Under {@code LOCAL},
     * each instance decides under the {@link FailurePolicy#share(int)} for this number.
     */
    public int instances() {
        return redis == null ? 1 : redis.instances().count();
    }

    /** Whether its limiters decide in this process, see {@link #localBuilder}. */
    public boolean isLocal() {
        return redis == null;
    }

    /**
     * Releases all leases, waiting a second at most, and closes the limiters.
     *
     * <p>Requests that have not been sent, and all later ones, fail with {@link io.limiter.LimiterBackendException}, whatever their failure
     * policy. Requests that were sent are still answered. The rejection cache may reject for another second. The connections belong to the
     * application and stay open. Does nothing on a view.
     */
    @Override
    public void close() {
        super.close();
    }

    /**
     * The parts of this factory for another module of this library, such as that of live limits. Their types are internal, so an
     * application has no use for them.
     *
     * @throws IllegalArgumentException if they are not of this type
     */
    public <T> T unwrap(Class<T> type) {
        if (!Objects.requireNonNull(type, "type").isInstance(view.limiters())) {
            throw new IllegalArgumentException("type must be one of this library's for parts of a factory"
                    + (isLocal() ? " that decides in this process" : "") + ", was " + type.getName());
        }
        return type.cast(view.limiters());
    }

    /** Limiters of this process with the types and the settings of a factory over Redis. */
    private static final class InThisProcess extends LocalLimiters {

        InThisProcess(Builder settings, LocalLimiters others) {
            super(
                    others,
                    settings.maxCachedLimiters,
                    settings.namespace,
                    settings.failurePolicy,
                    Observers.of(settings.listeners),
                    new ListenerNotifier(settings.listeners));
        }

        @Override
        protected RateLimiter newRateLimiter(KeySpace keys, TokenBucket limit, Failover engine, Waits waits) {
            return new EngineRedisRateLimiter(keys, limit, engine, waits);
        }
    }

    /** Settings of a factory. By default, it decides with the script engine. Not safe for use by several threads. */
    public static final class Builder extends EngineSettings {

        /** How long a decision may take, unless set. */
        public static final Duration DEFAULT_DECISION_TIMEOUT = Duration.ofMillis(100);

        /** How long a decision may take until Redis has first answered, unless set. */
        public static final Duration DEFAULT_FIRST_DECISION_TIMEOUT = Duration.ofSeconds(1);

        /** The longest pause between probes of an unavailable Redis, unless set. */
        public static final Duration DEFAULT_PROBE_INTERVAL = Duration.ofMillis(500);

        /** Over how many hash tags keys are spread in a Redis Cluster, unless set. */
        public static final int DEFAULT_HASH_TAGS = 64;

        private static final Duration SHORTEST = Duration.ofMillis(1);
        private static final Duration LONGEST = Duration.ofHours(1);

        /** {@code null} if there is {@link #local}. */
        final @Nullable RedisConnectionFactory connections;

        private final @Nullable LocalLimiters local;

        String clock = LuaScript.resource(LimitScripts.class, "clock.lua");
        Ticker ticker = Ticker.systemTicker();
        Sleeper sleeper = Sleeper.UNINTERRUPTIBLE;
        FailurePolicy failurePolicy = FailurePolicy.LOCAL;
        Duration decisionTimeout = DEFAULT_DECISION_TIMEOUT;
        Duration firstDecisionTimeout = DEFAULT_FIRST_DECISION_TIMEOUT;
        Duration probeInterval = DEFAULT_PROBE_INTERVAL;
        int maxLocalKeys = LocalEngine.DEFAULT_MAX_KEYS;
        int expectedInstances = 1;
        String namespace = "";
        int hashTags = DEFAULT_HASH_TAGS;

        private Builder(@Nullable RedisConnectionFactory connections, @Nullable LocalLimiters local) {
            this.connections = connections;
            this.local = local;
        }

        @Override
        Builder self() {
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
         * {@linkplain LimiterOptions#withFailurePolicy with another policy}. Default {@link FailurePolicy#LOCAL}.
         */
        public Builder failurePolicy(FailurePolicy newFailurePolicy) {
            this.failurePolicy = Objects.requireNonNull(newFailurePolicy, "failurePolicy");
            return this;
        }

        /**
         * How many instances share the limits at least, whatever live limits have counted. Under {@link FailurePolicy#LOCAL}, an instance that
         * starts without Redis, or has not counted yet, decides under its part of this number. Default 1.
         *
         * @throws IllegalArgumentException if less than 1
         */
        public Builder expectedInstances(int newExpectedInstances) {
            if (newExpectedInstances < 1) {
                throw new IllegalArgumentException("expectedInstances must be at least 1, was " + newExpectedInstances);
            }
            this.expectedInstances = newExpectedInstances;
            return this;
        }

        /**
         * The maximum number of keys of the local fallback. Beyond it, keys that would be full again soonest are evicted. Default 100,000.
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
         * How long a decision may take until Redis has first answered, if that is longer than the {@link #decisionTimeout}. It is for the first
         * decisions of a JVM, which load classes, connect and send the scripts. It applies for that time from the first of them, or from the
         * start of the {@linkplain RedisRateLimiterFactory#warmUp warm-up}, so while Redis cannot be reached, later decisions have the
         * decisionTimeout. A Redis that refuses connections is tried only for the decisionTimeout. Default
         * {@link #DEFAULT_FIRST_DECISION_TIMEOUT}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder firstDecisionTimeout(Duration newFirstDecisionTimeout) {
            this.firstDecisionTimeout = checked("firstDecisionTimeout", newFirstDecisionTimeout);
            return this;
        }

        /**
         * The longest pause between the probes of an unavailable Redis, which run in the background. The first probe is sent immediately, the
         * second after a sixteenth of this pause, and each further one after twice the pause before. Default {@link #DEFAULT_PROBE_INTERVAL}.
         *
         * @throws IllegalArgumentException if less than 1 ms or more than 1 h
         */
        public Builder probeInterval(Duration newProbeInterval) {
            this.probeInterval = checked("probeInterval", newProbeInterval);
            return this;
        }

        /**
         * Separates this application from others on one Redis. Without it, they share the permits, the live limits and the reports of limits of
         * one name. The stored keys of all limiters start with it, see {@link LimiterOptions#withNamespace}. Default: none.
         *
         * @param newNamespace such as the name of the application, or empty for none
         * @throws IllegalArgumentException if it has more than 100 characters, or only spaces
         */
        public Builder namespace(String newNamespace) {
            KeySpace.checkNamespace(Objects.requireNonNull(newNamespace, "namespace"));
            this.namespace = newNamespace;
            return this;
        }

        /**
         * Over how many hash tags keys are spread in a Redis Cluster, where only keys with the same hash tag share calls. All instances need the
         * same number, because with another number keys have other permits. With 0, keys are not spread, and only {@link HashTag} decides. Default
         * {@link #DEFAULT_HASH_TAGS} in a Cluster. It has no effect on any other Redis.
         *
         * @throws IllegalArgumentException if less than 0 or more than 1,024
         */
        public Builder hashTags(int newHashTags) {
            this.hashTags = HashTags.checked(newHashTags);
            return this;
        }

        private static Duration checked(String what, Duration value) {
            Ranges.duration(what, value, SHORTEST, LONGEST);
            return value;
        }

        public RedisRateLimiterFactory build() {
            EngineLimiterFactory limiters = local == null ? new RedisLimiters(this) : new InThisProcess(this, local);
            limiters.defined().defineAll(defined);
            return new RedisRateLimiterFactory(limiters.view());
        }
    }
}
