package io.limiter.redis;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** One of several JVMs that take permits of overlapping limit sets. In the end it prints how often each set was granted. */
final class SetFleetMember {

    private static final int THREADS = 6;
    private static final int REQUESTS = 300;
    private static final int REQUESTS_UNDER_A_LOCK = 30;

    private SetFleetMember() {}

    public static void main(String[] args) throws Exception {
        try (FleetInstance instance = new FleetInstance(args)) {
            List<LimitSet> sets = sets(instance.limiters());
            int requests = instance.engine() == FleetInstance.Engine.LOCK ? REQUESTS_UNDER_A_LOCK : REQUESTS;
            instance.awaitGo();
            AtomicIntegerArray granted = new AtomicIntegerArray(sets.size());
            AtomicInteger thread = new AtomicInteger();
            Concurrently.run(THREADS, () -> {
                int first = thread.getAndIncrement();
                for (int i = 0; i < requests; i++) {
                    int set = (first + i) % sets.size();
                    granted.addAndGet(set, sets.get(set).tryAcquire() ? 1 : 0);
                }
            });
            System.out.println(granted.get(0) + " " + granted.get(1) + " " + granted.get(2));
        }
    }

    /** Each limit is in two of them. */
    static List<LimitSet> sets(LimiterFactory limiters) {
        RateLimiter bucket = limiters.build("bucket", 0.0001, 12_000_000, 60);
        Limiter day = limiters.build("day", FixedWindow.of(900, Duration.ofDays(1)));
        Limiter hour = limiters.build("hour", FixedWindow.of(800, Duration.ofHours(1)));
        return List.of(LimitSet.of(bucket, day), LimitSet.of(day, hour), LimitSet.of(hour, bucket));
    }
}
