package io.limiter.spring.autoconfigure;

import io.limiter.internal.redis.FactoryAccess;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Connects to Redis and loads the scripts before the web server starts, because both can take longer than the decision timeout. It
 * waits at most {@link #LONGEST_WAIT}, so that the application also starts without Redis.
 *
 * <p>It ends polls and the subscription of live limits before the connection factory stops, which is before the limiter factory
 * is closed, and starts them again when the application starts again.
 *
 * <p>All beans with a lifecycle stop before the first one is destroyed. So when the application ends, limiters start the connection
 * factory again for what beans still decide and release then.
 */
final class LimiterLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LimiterLifecycle.class);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    /** After connection factories (0), before web servers and beans without a phase. */
    private static final int PHASE = Integer.MAX_VALUE / 2;

    private final ObjectProvider<RedisRateLimiterFactory> factory;
    private final boolean warmsUp;
    private boolean warnsOfSharing;
    private final ConfigurableApplicationContext context;
    private volatile @Nullable RedisRateLimiterFactory started;

    /**
     * @param warmsUp whether the start waits for the connection and the scripts
     * @param warnsOfSharing whether it logs that the limits have no namespace
     */
    LimiterLifecycle(
            ObjectProvider<RedisRateLimiterFactory> factory,
            boolean warmsUp,
            boolean warnsOfSharing,
            ConfigurableApplicationContext context) {
        this.factory = factory;
        this.warmsUp = warmsUp;
        this.warnsOfSharing = warnsOfSharing;
        this.context = context;
    }

    @Override
    public void start() {
        RedisRateLimiterFactory limiters = factory.getIfUnique();
        if (limiters == null || limiters.isLocal()) {
            return;
        }
        started = limiters;
        if (warnsOfSharing && limiters.unwrap(FactoryAccess.class).namespace().isEmpty()) {
            log.warn(
                    "The limits have no namespace, so they share permits, live limits and reports with all applications on this"
                            + " Redis that have none: set limiter.namespace or spring.application.name, or limiter.namespace to an"
                            + " empty text if that is intended.");
        }
        warnsOfSharing = false;
        if (warmsUp) {
            awaitWarmUp(limiters);
        }
        RedisLiveLimits.of(limiters).ifPresent(RedisLiveLimits::resume);
    }

    private static void awaitWarmUp(RedisRateLimiterFactory limiters) {
        try {
            limiters.warmUp().get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The factory logs a failure, and goes on in the background.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        RedisRateLimiterFactory limiters = started;
        started = null;
        if (limiters != null) {
            RedisLiveLimits.of(limiters).ifPresent(RedisLiveLimits::pause);
            if (context.isClosed()) {
                limiters.unwrap(FactoryAccess.class).startStoppedConnections();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return started != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
