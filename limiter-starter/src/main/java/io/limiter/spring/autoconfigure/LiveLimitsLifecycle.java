package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Ends polls and the subscription of live limits before the connection factory stops, which is before the limiter factory is
 * closed, and starts them again when the application starts again.
 */
final class LiveLimitsLifecycle implements SmartLifecycle {

    private final ObjectProvider<LimiterFactory> factory;
    private volatile @Nullable RedisRateLimiterFactory started;

    LiveLimitsLifecycle(ObjectProvider<LimiterFactory> factory) {
        this.factory = factory;
    }

    @Override
    public void start() {
        if (factory.getIfUnique() instanceof RedisRateLimiterFactory limiters) {
            started = limiters;
            limiters.resumeLive();
        }
    }

    @Override
    public void stop() {
        RedisRateLimiterFactory limiters = started;
        started = null;
        if (limiters != null) {
            limiters.pauseLive();
        }
    }

    @Override
    public boolean isRunning() {
        return started != null;
    }

    @Override
    public int getPhase() {
        return LimiterWarmUp.PHASE;
    }
}
