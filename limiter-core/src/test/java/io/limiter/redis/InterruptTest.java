package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that was interrupted before is limited like any other, and stays interrupted. */
@Tag("threads")
class InterruptTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource
    void an_interrupted_thread_is_limited_and_stays_interrupted(Setup setup) {
        RateLimiter limiter = redis.builder(setup)
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()))
                .build("k", 1, 2, 60);
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
