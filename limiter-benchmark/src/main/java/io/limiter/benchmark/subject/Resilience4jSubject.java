package io.limiter.benchmark.subject;

import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import java.time.Duration;

/** Resilience4j's rate limiter in process, by its own registry. */
final class Resilience4jSubject implements Subject {

    private final RateLimiterRegistry limiters;
    private final String[] ids;

    private Resilience4jSubject(RateLimiterRegistry limiters, String[] ids) {
        this.limiters = limiters;
        this.ids = ids;
    }

    static Subject open(RedisClients clients, Allowance allowance, String[] ids) {
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(Math.toIntExact(allowance.permits()))
                .limitRefreshPeriod(allowance.period())
                .timeoutDuration(Duration.ZERO)
                .build();
        return new Resilience4jSubject(RateLimiterRegistry.of(config), ids);
    }

    @Override
    public boolean tryAcquire(int id) {
        return limiters.rateLimiter(ids[id]).acquirePermission();
    }
}
