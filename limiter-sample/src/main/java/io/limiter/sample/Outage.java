package io.limiter.sample;

import io.limiter.Decision;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Two instances ask for twice what their common limit grants, while the sample's Redis is stopped. What they were granted is
 * counted, and compared with the most that the limit promises to grant.
 */
@Component
class Outage implements SmartLifecycle {

    private static final int RATE = 100;
    private static final int CAPACITY = 100;
    private static final long STEP_MILLIS = 10;
    private static final double NANOS_PER_SECOND = 1e9;

    /** The calls of one second. */
    record Second(long byRedis, long byInstances, long rejected) {

        Second with(Decision decision) {
            if (!decision.isGranted()) {
                return new Second(byRedis, byInstances, rejected + 1);
            }
            return decision.source() == Decision.Source.LOCAL
                    ? new Second(byRedis, byInstances + 1, rejected)
                    : new Second(byRedis + 1, byInstances, rejected);
        }
    }

    enum Phase {
        /** Nothing was started yet. */
        NONE,
        BEFORE,
        STOPPED,
        AFTER,
        OVER
    }

    /**
     * @param possible whether this application has started the Redis, so that it can stop it
     * @param granted permits since the start
     * @param atMost how many the limit promises not to exceed in this time
     * @param decides who has made the last decision
     * @param seconds one for each second since the start
     * @param problem why Redis could not be stopped or started
     */
    record Progress(
            boolean possible,
            Phase phase,
            long granted,
            long atMost,
            Decision.@Nullable Source decides,
            double longestMillis,
            List<Second> seconds,
            @Nullable String problem) {}

    private final @Nullable EmbeddedRedis redis;
    private final List<RateLimiter> limiters;
    private final Duration before;
    private final Duration length;
    private final Duration after;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3, task -> {
        Thread created = new Thread(task, "sample-outage");
        created.setDaemon(true);
        return created;
    });
    private final List<ScheduledFuture<?>> callers = new ArrayList<>();
    private final List<Second> seconds = new ArrayList<>();

    private Phase phase = Phase.NONE;
    private long startNanos;
    private @Nullable Long stoppedNanos;
    private long restartNanos;
    /** When an instance decided alone for the first and for the last time; a slow machine may do so without an outage. */
    private @Nullable Long firstAloneNanos;

    private long lastAloneNanos;
    private long endNanos;
    private long granted;
    private long longestNanos;
    private Decision.@Nullable Source decides;
    private @Nullable String problem;
    private boolean running;

    Outage(
            Instances instances,
            ObjectProvider<EmbeddedRedis> redis,
            @Value("${sample.outage.before:5s}") Duration before,
            @Value("${sample.outage.length:30s}") Duration length,
            @Value("${sample.outage.after:10s}") Duration after) {
        this.redis = redis.getIfAvailable();
        this.before = before;
        this.length = length;
        this.after = after;
        TokenBucket limit = TokenBucket.perSecond(RATE).withCapacity(CAPACITY);
        this.limiters = List.of(
                instances.first().build("outage", limit), instances.second().build("outage", limit));
    }

    /** Does nothing during an outage, and where the sample has not started its Redis. */
    synchronized void begin() {
        if (redis == null || !running || (phase != Phase.NONE && phase != Phase.OVER)) {
            return;
        }
        seconds.clear();
        granted = 0;
        longestNanos = 0;
        decides = null;
        problem = null;
        stoppedNanos = null;
        firstAloneNanos = null;
        startNanos = System.nanoTime();
        phase = Phase.BEFORE;
        for (RateLimiter each : limiters) {
            callers.add(threads.scheduleWithFixedDelay(() -> call(each), 0, STEP_MILLIS, TimeUnit.MILLISECONDS));
        }
        threads.schedule(() -> stopRedis(redis), before.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void call(RateLimiter limiter) {
        long nanos = System.nanoTime();
        Decision decision = limiter.decide();
        counted(decision, System.nanoTime() - nanos);
    }

    private synchronized void counted(Decision decision, long nanos) {
        if (phase == Phase.OVER) {
            return;
        }
        long now = System.nanoTime();
        int second = (int) ((now - startNanos) / NANOS_PER_SECOND);
        while (seconds.size() <= second) {
            seconds.add(new Second(0, 0, 0));
        }
        seconds.set(second, seconds.get(second).with(decision));
        granted += decision.isGranted() ? 1 : 0;
        longestNanos = Math.max(longestNanos, nanos);
        decides = decision.source();
        if (decides == Decision.Source.LOCAL) {
            if (firstAloneNanos == null) {
                firstAloneNanos = now - nanos;
            }
            lastAloneNanos = now;
        }
    }

    private void stopRedis(EmbeddedRedis stopped) {
        synchronized (this) {
            phase = Phase.STOPPED;
        }
        try {
            stopped.stop();
        } catch (IOException e) {
            failed("the embedded Redis did not stop", e);
        }
        synchronized (this) {
            stoppedNanos = System.nanoTime();
        }
        threads.schedule(() -> startRedis(stopped), length.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void startRedis(EmbeddedRedis stopped) {
        synchronized (this) {
            restartNanos = System.nanoTime();
            phase = Phase.AFTER;
        }
        try {
            stopped.start();
        } catch (IOException e) {
            failed("the embedded Redis did not start again; restart the sample", e);
        }
        threads.schedule(this::end, after.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void failed(String what, IOException e) {
        problem = what + ": " + e.getMessage();
    }

    private synchronized void end() {
        callers.forEach(each -> each.cancel(false));
        callers.clear();
        endNanos = System.nanoTime();
        phase = Phase.OVER;
    }

    synchronized Progress progress() {
        return new Progress(
                redis != null,
                phase,
                granted,
                phase == Phase.NONE ? 0 : atMost(phase == Phase.OVER ? endNanos : System.nanoTime()),
                decides,
                longestNanos / 1e6,
                List.copyOf(seconds),
                problem);
    }

    /**
     * The limit as long as Redis decides, once more as long as the instances decide alone, each under its half of the limit, and a
     * full bucket more for a Redis that has lost everything.
     */
    private long atMost(long now) {
        double most = admitted((stoppedNanos == null ? now : stoppedNanos) - startNanos);
        if (firstAloneNanos != null) {
            most += admitted(lastAloneNanos - firstAloneNanos);
        }
        return (long) (phase == Phase.AFTER || phase == Phase.OVER ? most + admitted(now - restartNanos) : most);
    }

    /** What the limit admits at most in any such time. */
    private static double admitted(long nanos) {
        return CAPACITY + RATE * (nanos / NANOS_PER_SECOND);
    }

    @Override
    public synchronized void start() {
        running = true;
    }

    @Override
    public synchronized void stop() {
        running = false;
        threads.shutdownNow();
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
