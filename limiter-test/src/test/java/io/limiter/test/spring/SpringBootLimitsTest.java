package io.limiter.test.spring;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.MockMvc;

@SpringBootTest(
        classes = LimitedApplication.class,
        properties = {
            "limiter.enabled=false",
            "limiter.http.page.path=/page",
            "limiter.http.page.limits.all.limit=2",
            "limiter.http.page.limits.all.per=10s",
            "limiter.limits.quotes.rate=1",
            "limiter.limits.quotes.per=1m"
        })
@AutoConfigureMockMvc
@AutoConfigureLimiter
class SpringBootLimitsTest {

    @Autowired
    private MockMvc http;

    @Autowired
    private TestClock clock;

    @Autowired
    private LimiterFactory limiters;

    @Autowired
    private RedisRateLimiterFactory redis;

    /** The second repetition would be rejected by what the first has taken. */
    @RepeatedTest(2)
    void annotations_decide_by_the_clock_and_each_test_starts_with_all_permits() throws Exception {
        http.perform(get("/code?phone=1")).andExpect(status().isOk());
        http.perform(get("/code?phone=1"))
                .andExpect(status().isTooManyRequests())
                .andExpect(header().string("Retry-After", "60"));
        http.perform(get("/code?phone=2")).andExpect(status().isOk());
        clock.advance(Duration.ofMinutes(1));
        http.perform(get("/code?phone=1")).andExpect(status().isOk());
    }

    @RepeatedTest(2)
    void rules_decide_by_the_clock() throws Exception {
        http.perform(get("/page")).andExpect(status().isOk());
        clock.advance(Duration.ofSeconds(4));
        http.perform(get("/page")).andExpect(status().isOk());
        http.perform(get("/page"))
                .andExpect(status().isTooManyRequests())
                .andExpect(header().string("Retry-After", "6"));
        clock.advance(Duration.ofSeconds(6));
        http.perform(get("/page")).andExpect(status().isOk());
    }

    @RepeatedTest(2)
    void the_factory_that_a_program_for_redis_injects_has_the_limits_of_the_configuration() {
        RedisRateLimiter quotes = redis.rateLimiter("quotes");
        assertThat(quotes).grants(1).thenRejectsFor(Duration.ofMinutes(1));
        assertThat(limiters.rateLimiter("quotes").tryAcquire("ann")).isTrue();
        clock.advance(Duration.ofMinutes(1));
        assertThat(quotes.tryAcquire()).isTrue();
    }

    @Test
    void injected_limiters_do_as_well() {
        assertThat(limiters).isInstanceOf(TestLimiterFactory.class);
        assertThat(limiters.build("own", FixedWindow.of(1, Duration.ofHours(1))))
                .grants(1)
                .thenRejectsFor(Duration.ofHours(1));
    }
}
