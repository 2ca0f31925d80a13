package io.limiter.benchmark.migration;

import java.time.Duration;
import java.util.function.Consumer;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;

/** What docs/migration.md starts from, with Redisson. */
final class RedissonBefore {

    private final RedissonClient redisson;

    RedissonBefore(RedissonClient redisson) {
        this.redisson = redisson;
    }

    void rejecting(String phone, Consumer<String> reject) {
        // migration: redisson-before
        RRateLimiter limiter = redisson.getRateLimiter("sms:" + phone);
        limiter.trySetRate(RateType.OVERALL, 5, Duration.ofMinutes(1));
        if (!limiter.tryAcquire()) {
            reject.accept(phone);
        }
        // end
    }

    void waiting() {
        // migration: redisson-waiting-before
        RRateLimiter calls = redisson.getRateLimiter("calls");
        calls.trySetRate(RateType.OVERALL, 10, Duration.ofSeconds(1));
        calls.acquire(3);
        // end
    }
}
