package io.limiter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EngineLimiterFactoryTest {

    private final LimiterFactory limiters = new LocalLimiterFactory();

    @Test
    void the_same_name_prefix_and_numbers_are_the_same_limiter() {
        RateLimiter limiter = limiters.build("k", 1, 1, 60);
        assertThat(limiters.build("k", TokenBucket.of(1, 1))).isSameAs(limiter);
        assertThat(limiters.withPrefix("rateLimit:").build("k", 1, 1, 60)).isSameAs(limiter);
        assertThat(limiters.build("k", 2, 1, 60)).isNotSameAs(limiter);
        assertThat(limiters.build("other", 1, 1, 60)).isNotSameAs(limiter);
        assertThat(limiters.withPrefix("other:").build("k", 1, 1, 60)).isNotSameAs(limiter);
        assertThat(limiters.withPrefix("a").withPrefix("rateLimit:").build("k", 1, 1, 60))
                .isSameAs(limiter);
        assertThat(limiters.count("k", 1, Duration.ofSeconds(1)))
                .isSameAs(limiters.build("k", new FixedWindow(1, Duration.ofSeconds(1))));
    }

    @Test
    void keeps_no_more_limiters_than_it_may_and_loses_no_permits_by_that() {
        LimiterFactory small = new LocalLimiterFactory(new CacheBounds(0, 1, Duration.ofMinutes(1)), 100);
        RateLimiter first = small.build("first", 1, 1, 60);
        assertThat(first.tryAcquire()).isTrue();
        for (int i = 0; i < 50; i++) {
            small.build("k" + i, 1, 1, 60);
        }
        assertThat(small.build("first", 1, 1, 60)).isNotSameAs(first);
        assertThat(small.build("first", 1, 1, 60).tryAcquire()).isFalse();
    }

    @Test
    void a_limiter_says_what_it_is() {
        assertThat(limiters.build("sms", 1, 1, 60).name()).isEqualTo("sms");
        assertThat(limiters.build("sms", 1, 1, 60)).hasToString("LocalRateLimiter[sms, " + TokenBucket.of(1, 1) + "]");
    }

    @Test
    void bounds_out_of_range_are_an_error() {
        Duration minute = Duration.ofMinutes(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CacheBounds(-1, 1, minute))
                .withMessage("cache initial must be at least 0, was -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CacheBounds(0, 0, minute))
                .withMessage("cache maximum must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CacheBounds(0, 1, Duration.ZERO))
                .withMessage("cache expireAfterAccess must be more than zero, was PT0S");
    }
}
