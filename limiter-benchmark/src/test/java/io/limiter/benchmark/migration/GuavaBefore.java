package io.limiter.benchmark.migration;

import com.google.common.util.concurrent.RateLimiter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What docs/migration.md starts from, with Guava. */
final class GuavaBefore {

    private GuavaBefore() {}

    static void everyCall() {
        // migration: guava-before
        RateLimiter limiter = RateLimiter.create(5);
        double seconds = limiter.acquire();
        boolean soon = limiter.tryAcquire(3, 200, TimeUnit.MILLISECONDS);
        limiter.setRate(10);
        RateLimiter warming = RateLimiter.create(100, Duration.ofMinutes(1));
        // end
    }
}
