package io.limiter.benchmark.migration;

import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What docs/migration.md comes to, without annotations. */
final class MigrationSnippets {

    private final LimiterFactory limiters;

    MigrationSnippets(LimiterFactory limiters) {
        this.limiters = limiters;
    }

    void guava() {
        // migration: guava-after
        RateLimiter limiter = limiters.build("import", TokenBucket.guava(5));
        Duration waited = limiter.acquire();
        boolean soon = limiter.tryAcquire(3, 200, TimeUnit.MILLISECONDS);
        limiter.setRate(10);
        RateLimiter warming = limiters.build("cache", TokenBucket.guava(100, Duration.ofMinutes(1)));
        // end
    }

    boolean bucket4j(String user, Consumer<Duration> reject) {
        // migration: bucket4j-after
        RateLimiter search = limiters.build("search", 10, 5, 60);
        Decision decision = search.decide(user);
        if (!decision.isGranted()) {
            reject.accept(decision.retryAfter().orElseThrow());
        }
        // end
        return decision.isGranted();
    }

    boolean bucket4jTwo(String user) {
        // migration: bucket4j-two-after
        RateLimiter perSecond = limiters.build("perSecond", 10, 1, 60);
        Limiter perDay = limiters.build("perDay", FixedWindow.of(1000, Duration.ofDays(1)));
        boolean granted = LimitSet.of(perSecond.on(user), perDay.on(user)).tryAcquire();
        // end
        return granted;
    }

    void redisson(String phone, Consumer<String> reject) {
        // migration: redisson-after
        Limiter sms = limiters.build("sms", SlidingLog.of(5, Duration.ofMinutes(1)));
        if (!sms.tryAcquire(phone)) {
            reject.accept(phone);
        }
        // end
    }
}
