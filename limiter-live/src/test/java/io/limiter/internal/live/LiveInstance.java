package io.limiter.internal.live;

import io.limiter.BackendState;
import io.limiter.ForwardingLimiterFactory;
import io.limiter.internal.redis.FactoryAccess;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.concurrent.CompletableFuture;

/** A factory with live limits, which are also polled when the test says so. */
final class LiveInstance extends ForwardingLimiterFactory {

    private final RedisRateLimiterFactory factory;
    private final LivePoller poller;

    private LiveInstance(RedisRateLimiterFactory factory, LivePoller poller) {
        super(factory);
        this.factory = factory;
        this.poller = poller;
    }

    static LiveInstance of(RedisRateLimiterFactory.Builder builder, LiveOptions options, boolean withHints) {
        RedisRateLimiterFactory factory = builder.build();
        return new LiveInstance(factory, LivePoller.start(factory.unwrap(FactoryAccess.class), options, withHints));
    }

    LiveLimits live() {
        return poller.limits();
    }

    /** Reads live limits now. */
    void pollLiveLimits() {
        poller.poll();
    }

    int instances() {
        return factory.instances();
    }

    void pauseLiveLimits() {
        poller.pause();
    }

    CompletableFuture<Boolean> warmUp() {
        return factory.warmUp();
    }

    BackendState backendState() {
        return factory.backendState();
    }
}
