package io.limiter.test.spring;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that builds a factory of its own is tested without Redis, too. */
@SpringBootTest(classes = {LimitedApplication.class, OwnFactoryLimitsTest.OwnFactory.class})
@AutoConfigureLimiter
class OwnFactoryLimitsTest {

    @Configuration(proxyBeanMethods = false)
    static class OwnFactory {

        @Bean
        RedisRateLimiterFactory own(RedisRateLimiterFactory.Builder builder) {
            return builder.namespace("own").build();
        }
    }

    @Autowired
    private RedisRateLimiterFactory own;

    @Autowired
    private LimiterFactory limiters;

    @Autowired
    private TestClock clock;

    /** The second repetition would be rejected by what the first has taken. */
    @RepeatedTest(2)
    void it_decides_by_the_clock_and_each_test_starts_with_all_permits() {
        assertThat(limiters).isInstanceOf(TestLimiterFactory.class);
        RedisRateLimiter sms = own.build("sms", 1.0 / 60, 60, 60);
        assertThat(sms.redisKey()).isEqualTo("own:rateLimit:{sms}");
        assertThat(sms.tryAcquire()).isTrue();
        assertThat(sms.tryAcquire()).isFalse();
        assertThat(limiters.with(LimiterOptions.NONE.withNamespace("own"))
                        .build("sms", 1.0 / 60, 60, 60)
                        .tryAcquire())
                .isFalse();
        clock.advance(Duration.ofMinutes(1));
        assertThat(sms.tryAcquire()).isTrue();
    }
}
