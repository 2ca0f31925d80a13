package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Connects to Redis and loads the scripts before the web server starts. Both can take longer than the decision timeout. It
 * waits at most {@link #LONGEST_WAIT}, so that the application also starts without Redis.
 */
final class LimiterWarmUp implements SmartLifecycle {

    static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    /** After connection factories (0), before web servers and beans without a phase. */
    static final int PHASE = Integer.MAX_VALUE / 2;

    private final ObjectProvider<LimiterFactory> factory;
    private volatile boolean running;

    LimiterWarmUp(ObjectProvider<LimiterFactory> factory) {
        this.factory = factory;
    }

    @Override
    public void start() {
        running = true;
        if (factory.getIfUnique() instanceof RedisRateLimiterFactory limiters) {
            CompletableFuture<Boolean> ready = limiters.warmUp();
            // The factory logs a failure.
            ready.copy()
                    .completeOnTimeout(false, LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
