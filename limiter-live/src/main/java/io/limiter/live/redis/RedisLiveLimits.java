package io.limiter.live.redis;

import io.limiter.internal.live.LivePoller;
import io.limiter.internal.redis.FactoryAccess;
import io.limiter.live.ForwardingLiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.Objects;
import java.util.Optional;

/**
 * The live limits of a factory, which change its limiters, whenever these were built. They end when it is closed.
 *
 * <pre>{@code
 * RedisRateLimiterFactory limiters = RedisRateLimiterFactory.builder(connectionFactory).build();
 * LiveLimits live = RedisLiveLimits.start(limiters, LiveOptions.DEFAULT);
 * }</pre>
 */
public final class RedisLiveLimits extends ForwardingLiveLimits {

    private final LivePoller poller;

    private RedisLiveLimits(LivePoller poller) {
        super(poller.limits());
        this.poller = poller;
    }

    /**
     * Starts to poll, and to listen for hints, in the background. Does not wait for Redis.
     *
     * @throws IllegalStateException if the factory has live limits already, or was closed
     * @throws IllegalArgumentException if the factory {@linkplain RedisRateLimiterFactory#isLocal decides in this process}
     */
    public static RedisLiveLimits start(RedisRateLimiterFactory factory, LiveOptions options) {
        Objects.requireNonNull(options, "options");
        return new RedisLiveLimits(LivePoller.start(factory(factory), options, true));
    }

    /** The live limits that were started for a factory. Empty if none were started. */
    public static Optional<RedisLiveLimits> of(RedisRateLimiterFactory factory) {
        Objects.requireNonNull(factory, "factory");
        return !factory.isLocal() && factory(factory).extension() instanceof LivePoller poller
                ? Optional.of(new RedisLiveLimits(poller))
                : Optional.empty();
    }

    private static FactoryAccess factory(RedisRateLimiterFactory factory) {
        return Objects.requireNonNull(factory, "factory").unwrap(FactoryAccess.class);
    }

    /**
     * Ends polls and the subscription, as is needed before the connection factory stops. Live limits stay in effect, those that
     * expire in that time, too.
     */
    public void pause() {
        poller.pause();
    }

    /** Sees changes again after {@link #pause}, and otherwise does nothing. */
    public void resume() {
        poller.resume();
    }
}
