package io.limiter.redis;

import io.limiter.Limiter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of several JVMs that hammer a sliding log for some seconds, and until each has been granted as many permits as the limit has,
 * which a slow machine may not do in that time. For each grant it then prints its permits and the time before and after the call, by
 * the wall clock in microseconds; and in the end {@code end}.
 */
final class SlidingFleetMember {

    private static final int THREADS = 8;
    private static final int MOST_PERMITS = 3;

    private SlidingFleetMember() {}

    /** Arguments: limit, period in milliseconds, seconds. */
    public static void main(String[] args) throws Exception {
        try (FleetInstance instance = new FleetInstance(args)) {
            SlidingLog limit = SlidingLog.of(instance.count(0), Duration.ofMillis(instance.count(1)));
            Limiter limiter = instance.limiters().build("fleet", limit);
            limiter.peek();
            instance.awaitGo();
            Queue<String> ledger = new ConcurrentLinkedQueue<>();
            hammer(limiter, ledger, limit.limit(), System.nanoTime() + (long) (instance.number(2) * 1e9));
            ledger.forEach(System.out::println);
            System.out.println("end");
        }
    }

    private static void hammer(Limiter limiter, Queue<String> ledger, long atLeast, long deadlineNanos) {
        AtomicLong granted = new AtomicLong();
        Concurrently.run(THREADS, () -> {
            for (int i = 0; System.nanoTime() < deadlineNanos || granted.get() < atLeast; i++) {
                long permits = 1 + i % MOST_PERMITS;
                long before = micros();
                if (limiter.tryAcquire(permits)) {
                    ledger.add(permits + " " + before + " " + micros());
                    granted.addAndGet(permits);
                }
            }
        });
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
