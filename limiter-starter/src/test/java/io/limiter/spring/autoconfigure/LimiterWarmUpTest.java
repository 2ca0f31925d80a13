package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.spring.Contexts;
import io.limiter.testing.TestRedis;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class LimiterWarmUpTest {

    private final ApplicationContextRunner redis =
            Contexts.plain().withConfiguration(Contexts.redis()).withUserConfiguration(Counting.class);

    @Test
    void redis_is_called_before_the_first_decision() {
        redis.withPropertyValues("spring.data.redis.url=" + TestRedis.shared().uri())
                .run(context -> Awaitility.await()
                        .until(() -> context.getBean(Counting.class).calls.get() > 0));
    }

    @Test
    void without_warm_up_redis_is_not_called_before_the_first_decision() {
        redis.withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.shared().uri(),
                        "limiter.failure.warm-up=false",
                        "limiter.live.enabled=false")
                .run(context ->
                        assertThat(context.getBean(Counting.class).calls).hasValue(0));
    }

    @Test
    void an_application_starts_without_redis_and_its_policy_decides() {
        redis.withPropertyValues("spring.data.redis.url=redis://localhost:1", "limiter.failure.decision-timeout=50ms")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LimiterFactory limiters = context.getBean(LimiterFactory.class);
                    assertThat(limiters.build("unavailable", 1, 1, 60).decide(1).source())
                            .isEqualTo(Decision.Source.LOCAL);
                });
    }

    @Test
    void the_warm_up_comes_before_a_server_takes_requests() {
        redis.withPropertyValues("spring.data.redis.url=" + TestRedis.shared().uri())
                .run(context -> assertThat(
                                context.getBean(LimiterLifecycle.class).getPhase())
                        .isPositive()
                        // Spring Boot's own constant is in another package in each line.
                        .isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048));
    }

    @Configuration(proxyBeanMethods = false)
    static class Counting {

        final AtomicInteger calls = new AtomicInteger();

        @Bean
        EngineObserver counting() {
            return new EngineObserver() {
                @Override
                public void called(long nanos, boolean failed) {
                    calls.incrementAndGet();
                }
            };
        }
    }
}
