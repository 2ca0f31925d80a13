package io.limiter.redis;

import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of several JVMs that prefetch permits. It hammers the limiter and prints, again and again, how many permits it has used so
 * far, until the next line of the test. Then it refunds unused permits and prints the final number.
 */
final class PrefetchFleetMember {

    private static final int THREADS = 4;

    private PrefetchFleetMember() {}

    /** Arguments: rate, burst in seconds, prefetch time in milliseconds. */
    public static void main(String[] args) throws Exception {
        AtomicLong used = new AtomicLong();
        AtomicBoolean running = new AtomicBoolean(true);
        try (FleetInstance instance = new FleetInstance(args)) {
            RateLimiter limiter = instance.limiters()
                    .with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofMillis(instance.count(2)))))
                    .build("leased", TokenBucket.of(instance.number(0), instance.number(1)));
            limiter.peek();
            instance.awaitGo();
            Thread reporter = new Thread(() -> report(used, running));
            reporter.start();
            Concurrently.run(THREADS, () -> {
                while (running.get()) {
                    if (limiter.tryAcquire()) {
                        used.incrementAndGet();
                    } else {
                        Thread.onSpinWait();
                    }
                }
            });
            reporter.join();
        }
        System.out.println("end " + used);
    }

    /** Until there is another line, or the input ends. */
    private static void report(AtomicLong used, AtomicBoolean running) {
        try {
            while (System.in.available() == 0) {
                System.out.println(used);
                Thread.sleep(10);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            running.set(false);
        }
    }
}
