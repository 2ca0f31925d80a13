package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Mistakes that distributed limiters are known to make. */
class KnownMistakesTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_clock_of_whole_seconds_grants_twice_across_a_boundary() {
        RateLimiter limiter = redis.byScript().build("k", 100, 1, 60);
        int granted = 0;
        for (int millis = 925; millis < 1075; millis++) {
            redis.clock().atSecond(millis / 1000.0);
            granted += takeAll(limiter, 5);
        }
        assertThat(granted).isBetween(100, 115);
    }

    @Test
    void a_ttl_in_whole_seconds_rounds_to_zero_and_limits_nothing() {
        RateLimiter limiter =
                redis.byScript().build("k", TokenBucket.of(1000, 0.002).withExpire(Duration.ofMillis(1)));
        assertThat(takeAll(limiter, 10)).isEqualTo(2);
        assertThat(RedisFixture.commands().pttl(redis.prefix() + "{k}")).isBetween(1L, 2100L);
    }

    @Test
    void a_server_clock_that_steps_back_admits_again() {
        RateLimiter limiter = redis.byScript().build("k", 1, 100, 60);
        assertThat(takeAll(limiter, 200)).isEqualTo(100);
        redis.clock().advance(Duration.ofSeconds(-60));
        assertThat(takeAll(limiter, 200)).isZero();
        redis.clock().advance(Duration.ofSeconds(61));
        assertThat(takeAll(limiter, 200)).isEqualTo(1);
    }

    @Test
    void a_caller_that_waits_polls() {
        RateLimiter limiter = redis.byScript().build("k", 10, 1, 60);
        limiter.acquire(10);
        RedisFixture.commands().configResetstat();
        assertThat(limiter.acquire(100)).isEqualTo(Duration.ofSeconds(10));
        assertThat(RedisFixture.commandsSent()).containsEntry("evalsha", 1L);
    }

    @Test
    void concurrent_callers_of_a_hot_key_are_rejected_although_permits_are_left() {
        RateLimiter limiter = redis.byScript().build("k", 1, 10_000, 60);
        limiter.tryAcquire();
        RedisFixture.commands().configResetstat();
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(32, () -> granted.addAndGet(takeAll(limiter, 50)));
        assertThat(granted).hasValue(32 * 50);
        assertThat(RedisFixture.commandsSent().get("evalsha")).isLessThanOrEqualTo(32L * 50);
    }

    /** How many of so many calls are granted. */
    private static int takeAll(RateLimiter limiter, int calls) {
        int granted = 0;
        for (int i = 0; i < calls; i++) {
            granted += limiter.tryAcquire() ? 1 : 0;
        }
        return granted;
    }
}
