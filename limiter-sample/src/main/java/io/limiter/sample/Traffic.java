package io.limiter.sample;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;
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
    private final Instance first;
    private final Instance second;
    private volatile boolean running;
    private volatile long endNanos = System.nanoTime();

    Traffic(Instances instances) {
        first = Instance.of(instances.first(), 0.6);
        second = Instance.of(instances.second(), 0.4);
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
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
