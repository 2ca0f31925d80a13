package io.limiter.redis;

import io.limiter.RateLimiter;
import io.limiter.testing.Concurrently;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of several JVMs that hammer a limiter. It takes all permits of the bucket with one call, calls for some seconds, and takes
 * what remains. Then it prints the number of granted permits, and the server time when it started, found the bucket empty,
 * stopped, and had taken the remaining permits.
 */
final class FleetMember {

    private static final int THREADS = 8;

    private FleetMember() {}

    /** Arguments: rate, burst in seconds, seconds, call (try or acquire). */
    public static void main(String[] args) throws Exception {
        try (FleetInstance instance = new FleetInstance(args)) {
            RateLimiter limiter = instance.limiters().build("fleet", instance.number(0), instance.number(1), 60);
            limiter.peek();
            instance.awaitGo();
            long start = FleetInstance.redisMicros();
            long granted = takeAll(limiter);
            long drained = FleetInstance.redisMicros();
            long nanos = (long) (instance.number(2) * 1e9);
            granted += hammer(limiter, instance.argument(3).equals("acquire"), System.nanoTime() + nanos);
            long end = FleetInstance.redisMicros();
            granted += takeAll(limiter);
            System.out.println(granted + " " + start + " " + drained + " " + end + " " + FleetInstance.redisMicros());
        }
    }

    /** Until nothing remains; another member may take some of it. */
    private static long takeAll(RateLimiter limiter) {
        long granted = 0;
        for (int left = remaining(limiter); left > 0; left = remaining(limiter)) {
            granted += limiter.tryAcquire(left) ? left : 0;
        }
        return granted;
    }

    private static int remaining(RateLimiter limiter) {
        return (int) limiter.peek().remaining();
    }

    private static long hammer(RateLimiter limiter, boolean acquire, long deadlineNanos) {
        AtomicLong granted = new AtomicLong();
        Concurrently.run(THREADS, () -> {
            while (System.nanoTime() < deadlineNanos) {
                if (acquire) {
                    limiter.acquire();
                    granted.incrementAndGet();
                } else if (limiter.tryAcquire()) {
                    granted.incrementAndGet();
                }
            }
        });
        return granted.get();
    }
}
