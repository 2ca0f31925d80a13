package io.limiter.benchmark.migration;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import java.time.Duration;
import java.util.function.Supplier;

/** What docs/migration.md starts from, with Resilience4j. */
final class Resilience4jBefore {

    private Resilience4jBefore() {}

    static String call(Supplier<String> partner) {
        // migration: resilience4j-before
        RateLimiterConfig config = RateLimiterConfig.custom()
                .limitForPeriod(10)
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Duration.ofMillis(500))
                .build();
        RateLimiter limiter = RateLimiterRegistry.of(config).rateLimiter("partner");
        String answer = limiter.executeSupplier(partner);
        // end
        return answer;
    }
}
