package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimiter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A thread that was interrupted before is limited like any other, and stays interrupted. */
class InterruptTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void an_interrupted_thread_is_limited_by_script() {
        isLimitedAndStaysInterrupted(redis.byScript().build("k", 1, 2, 60));
    }

    @Test
    void an_interrupted_thread_is_limited_under_the_redis_lock() {
        isLimitedAndStaysInterrupted(
                redis.underLock(new RedisLock(RedisFixture.connections())).build("k", 1, 2, 60));
    }

    @Test
    void an_interrupted_thread_is_limited_under_the_redisson_lock() {
        isLimitedAndStaysInterrupted(
                redis.underLock(new RedissonLock(RedisFixture.redisson())).build("k", 1, 2, 60));
    }

    private static void isLimitedAndStaysInterrupted(RateLimiter limiter) {
        Thread.currentThread().interrupt();
        boolean first = limiter.tryAcquire();
        boolean second = limiter.acquire().isZero();
        boolean third = limiter.tryAcquire();
        boolean interrupted = Thread.interrupted();
        assertThat(first).isTrue();
        assertThat(second).isTrue();
        assertThat(third).isFalse();
        assertThat(interrupted).isTrue();
    }
}
