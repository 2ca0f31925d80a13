package io.limiter.sample;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveOptions;
import io.limiter.live.redis.RedisLiveLimits;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.stereotype.Component;

/** Calls limiters as two busy instances would, so that the console has something to show. It ends before the connections do. */
@Component
class Traffic implements SmartLifecycle {

    static final Duration LENGTH = Duration.ofMinutes(5);

    private static final long STEP_MILLIS = 50;
    private static final double STEPS_PER_SECOND = 1000.0 / STEP_MILLIS;
    private static final int USERS = 12;

    /** The limiters of one instance. */
    private record Instance(RateLimiter search, Limiter login, double share) {

        static Instance of(LimiterFactory factory, double share) {
            LimiterFactory limiters = factory.with(LimiterOptions.NONE.withPrefix("traffic:"));
            return new Instance(
                    limiters.build("search", TokenBucket.perSecond(50).withCapacity(50)),
                    limiters.build("login", FixedWindow.of(5, Duration.ofSeconds(10))),
                    share);
        }

        /** About 70 searches and 8 logins a second in both together, in waves. */
        void step(long nanos) {
            double wave = 1 + 0.3 * Math.sin(nanos / 6e9);
            for (int i = often(70 * wave * share / STEPS_PER_SECOND); i > 0; i--) {
                search.tryAcquire();
            }
            for (int i = often(8 * share / STEPS_PER_SECOND); i > 0; i--) {
                // Some users are hotter than others.
                double random = ThreadLocalRandom.current().nextDouble();
                login.tryAcquire("user-" + (int) (random * random * random * USERS));
            }
        }

        private static int often(double expected) {
            return (int) (expected + ThreadLocalRandom.current().nextDouble());
        }
    }

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread created = new Thread(task, "sample-traffic");
        created.setDaemon(true);
        return created;
    });
    private final RedisRateLimiterFactory secondFactory;
    private final Instance first;
    private final Instance second;
    private volatile boolean running;
    private volatile long endNanos = System.nanoTime();

    /** The second instance is a factory of its own: it shares nothing but the Redis with the first. */
    Traffic(
            LimiterFactory firstFactory,
            RedisConnectionFactory connections,
            @Value("${spring.application.name}") String application) {
        secondFactory = RedisRateLimiterFactory.builder(connections)
                .namespace(application)
                .build();
        RedisLiveLimits.start(
                secondFactory, LiveOptions.DEFAULT.withShowKeys(true).withInstance("second-instance"));
        first = Instance.of(firstFactory, 0.6);
        second = Instance.of(secondFactory, 0.4);
    }

    void begin() {
        endNanos = System.nanoTime() + LENGTH.toNanos();
    }

    void end() {
        endNanos = System.nanoTime();
    }

    long secondsLeft() {
        return Math.max(0, TimeUnit.NANOSECONDS.toSeconds(endNanos - System.nanoTime()));
    }

    private void step() {
        long now = System.nanoTime();
        if (endNanos - now > 0) {
            first.step(now);
            second.step(now);
        }
    }

    @Override
    public void start() {
        running = true;
        thread.scheduleWithFixedDelay(this::step, STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
        running = false;
        thread.shutdownNow();
        secondFactory.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
