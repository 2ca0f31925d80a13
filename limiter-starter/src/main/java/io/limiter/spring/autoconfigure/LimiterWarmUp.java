package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Connects to Redis and loads the scripts before a server takes requests: the first decision of a JVM would need more than
 * the decision timeout for that. It waits at most {@link #LONGEST_WAIT}, so that the application starts without Redis, too.
 */
final class LimiterWarmUp implements SmartLifecycle {

    static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    /** After connection factories (0), before web servers and beans without a phase. */
    private static final int PHASE = Integer.MAX_VALUE / 2;

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
            // A failure is logged there.
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
