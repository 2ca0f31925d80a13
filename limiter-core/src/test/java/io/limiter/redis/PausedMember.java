package io.limiter.redis;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.redis.lock.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A JVM that decides all the time, from several threads, while the test stops and continues it. It is ready when Redis decides,
 * and prints for each line of the test how many decisions Redis and the failure policy have made since.
 */
final class PausedMember {

    private static final int THREADS = 6;
    private static final int FUTURES = 8;
    private static final Duration DECISION_TIMEOUT = Duration.ofSeconds(2);

    private PausedMember() {}

    public static void main(String[] args) throws Exception {
        FleetInstance instance = new FleetInstance(args, PausedMember::configure);
        instance.factory().warmUp().join();
        Limiter limiter = instance.limiters().build("paused", FixedWindow.of(Integer.MAX_VALUE, Duration.ofHours(1)));
        AtomicLong byRedis = new AtomicLong();
        AtomicLong byPolicy = new AtomicLong();
        for (int i = 0; i < THREADS; i++) {
            String key = "k" + i;
            boolean async = i % 2 == 1;
            Thread caller = new Thread(() -> {
                while (true) {
                    for (Decision decision : async ? several(limiter, key) : List.of(limiter.decide(key))) {
                        (decision.source() == Decision.Source.BACKEND ? byRedis : byPolicy).incrementAndGet();
                    }
                }
            });
            caller.setDaemon(true);
            caller.start();
        }
        awaitWarm(byRedis, byPolicy);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            System.out.println(byRedis.getAndSet(0) + " " + byPolicy.getAndSet(0) + " "
                    + instance.factory().backendState());
        }
    }

    private static RedisRateLimiterFactory.Builder configure(RedisRateLimiterFactory.Builder builder) {
        return builder.decisionTimeout(DECISION_TIMEOUT)
                .failurePolicy(FailurePolicy.ALLOW)
                .lockWait(LockBackend.DEFAULT_LOCK_WAIT);
    }

    /** Until a second has passed without the policy: a JVM loads many classes for its first decisions. */
    private static void awaitWarm(AtomicLong byRedis, AtomicLong byPolicy) throws InterruptedException {
        do {
            byRedis.set(0);
            byPolicy.set(0);
            Thread.sleep(1000);
        } while (byRedis.get() == 0 || byPolicy.get() > 0);
    }

    private static List<Decision> several(Limiter limiter, String key) {
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < FUTURES; i++) {
            // Each its own key, because the lock engines decide one at a time for a key.
            decisions.add(limiter.on(key + "-" + i).async().decide(1));
        }
        return decisions.stream().map(CompletableFuture::join).toList();
    }
}
