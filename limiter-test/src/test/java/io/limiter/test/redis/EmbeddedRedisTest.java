package io.limiter.test.redis;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.TokenBucket;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE, classes = EmbeddedRedisTest.Application.class)
@EmbeddedRedis
class EmbeddedRedisTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Autowired
    private LimiterFactory limiters;

    /** The second repetition would be rejected by what the first has taken. */
    @RepeatedTest(2)
    void an_application_decides_in_it_and_each_test_starts_with_all_permits() {
        assertThat(limiters).isInstanceOf(RedisRateLimiterFactory.class);
        assertThat(limiters.build(
                        "embedded", TokenBucket.per(5, Duration.ofDays(1)).withCapacity(5)))
                .on("ann")
                .grants(5)
                .thenRejects();
    }

    @Test
    void tests_have_its_address(RedisAddress redis, @Autowired Environment environment) {
        assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
        assertThat(environment.getProperty("spring.data.redis.url")).isEqualTo(redis.uri());
    }
}
