package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.RateLimit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;

/** Limits and the {@code @Retryable} of Spring Retry. */
class SpringRetryTest {

    static class Partner {

        private final AtomicInteger attempts = new AtomicInteger();

        public int attempts() {
            return attempts.get();
        }

        @Retryable(maxAttempts = 4, backoff = @Backoff(delay = 1))
        @RateLimit(rate = 1, per = "1h", capacity = 2)
        public void call() {
            attempts.incrementAndGet();
            throw new IllegalStateException("unavailable");
        }
    }

    static class Limited {

        @RateLimit(rate = 1, per = "1h", capacity = 2)
        public void call() {
            throw new IllegalStateException("unavailable");
        }
    }

    /** Its limit is on another bean. */
    static class Outer {

        private final Limited limited;

        Outer(Limited limited) {
            this.limited = limited;
        }

        @Retryable(noRetryFor = RateLimitExceededException.class, maxAttempts = 4, backoff = @Backoff(delay = 1))
        public void call() {
            limited.call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRetry
    static class Application {

        @Bean
        Partner partner() {
            return new Partner();
        }

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        Outer outer(Limited limited) {
            return new Outer(limited);
        }
    }

    private final ApplicationContextRunner runner = Contexts.local().withUserConfiguration(Application.class);

    @Test
    void a_call_is_charged_once_and_a_rejection_is_not_retried() {
        runner.run(context -> {
            Partner partner = context.getBean(Partner.class);

            for (int call = 1; call <= 2; call++) {
                assertThatIllegalStateException().isThrownBy(partner::call);
            }
            assertThat(partner.attempts()).isEqualTo(8);
            assertThat(rejected(context)).isZero();

            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(partner::call);
            assertThat(partner.attempts()).isEqualTo(8);
            assertThat(rejected(context)).isEqualTo(1);
        });
    }

    @Test
    void with_the_last_order_each_attempt_is_charged() {
        runner.withPropertyValues("limiter.order=2147483647").run(context -> {
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(context.getBean(Partner.class)::call);
            // Two attempts were granted, and two rejected.
            assertThat(rejected(context)).isEqualTo(2);
        });
    }

    @Test
    void a_rejection_inside_of_a_retried_call_is_excluded() {
        runner.run(context -> {
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(context.getBean(Outer.class)::call);
            assertThat(rejected(context)).isEqualTo(1);
        });
    }

    private static long rejected(ApplicationContext context) {
        return context.getBean(LimiterFactory.class).statistics().totals().stream()
                .mapToLong(LimiterTotals::rejected)
                .sum();
    }
}
