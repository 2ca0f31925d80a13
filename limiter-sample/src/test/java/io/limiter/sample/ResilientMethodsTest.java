package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.RateLimit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import reactor.core.publisher.Mono;

/** Limits together with the annotations of Spring Framework 7 for resilience. */
class ResilientMethodsTest {

    /** What happened, in order. */
    static class Trace {

        final List<String> steps = new CopyOnWriteArrayList<>();

        RuntimeException fail() {
            steps.add("attempt");
            return new IllegalStateException("unavailable");
        }
    }

    interface Partner {
        void call();
    }

    static class OnMethod implements Partner {

        private final Trace trace;

        OnMethod(Trace trace) {
            this.trace = trace;
        }

        @Override
        @Retryable(maxRetries = 3, delay = 1)
        @RateLimit(rate = 1, per = "1h", capacity = 2)
        public void call() {
            throw trace.fail();
        }
    }

    @Retryable(maxRetries = 3, delay = 1)
    @RateLimit(rate = 1, per = "1h", capacity = 2)
    static class OnType implements Partner {

        private final Trace trace;

        OnType(Trace trace) {
            this.trace = trace;
        }

        @Override
        public void call() {
            throw trace.fail();
        }
    }

    static class Publisher {

        private final Trace trace;

        Publisher(Trace trace) {
            this.trace = trace;
        }

        @Retryable(maxRetries = 3, delay = 1)
        @RateLimit(rate = 1, per = "1h", capacity = 2)
        public Mono<String> call() {
            return Mono.error(trace::fail);
        }
    }

    static class Blocking implements Partner {

        private final Publisher publisher;

        Blocking(Publisher publisher) {
            this.publisher = publisher;
        }

        @Override
        public void call() {
            publisher.call().block();
        }
    }

    static class Limited {

        private final Trace trace;

        Limited(Trace trace) {
            this.trace = trace;
        }

        @RateLimit(rate = 1, per = "1h", capacity = 2)
        public void call() {
            throw trace.fail();
        }
    }

    static class Outer {

        private final Limited limited;

        Outer(Limited limited) {
            this.limited = limited;
        }

        @Retryable(excludes = RateLimitExceededException.class, maxRetries = 3, delay = 1)
        public void call() {
            limited.call();
        }
    }

    static class Reports {

        @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
        @RateLimit(rate = 1, per = "1h", capacity = 2)
        public void write(Runnable during) {
            during.run();
        }
    }

    @ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
    static class OnePerBean {

        public void read(Runnable during) {
            during.run();
        }

        public void write() {}
    }

    @ConcurrentLimit(limit = 1)
    static class OnePerMethod {

        public void read(Runnable during) {
            during.run();
        }

        public void write() {}
    }

    @ConcurrentLimit(limit = 1, name = "files")
    static class OnePerName {

        public void read(Runnable during) {
            during.run();
        }

        public void write() {}
    }

    @EnableResilientMethods
    static class Application {

        @Bean
        Trace trace() {
            return new Trace();
        }
    }

    /** Stand for method security and for transactions. */
    static class OtherAdvice {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor authorization(Trace trace) {
            return advisor("authorization", trace, 0);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor transaction(Trace trace) {
            return advisor("transaction", trace, Ordered.LOWEST_PRECEDENCE);
        }

        private static Advisor advisor(String name, Trace trace, int order) {
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(RateLimit.class), (MethodInterceptor) call -> {
                        trace.steps.add(name);
                        return call.proceed();
                    });
            advisor.setOrder(order);
            return advisor;
        }
    }

    private final ApplicationContextRunner runner = Contexts.local().withUserConfiguration(Application.class);

    @ParameterizedTest
    @ValueSource(classes = {OnMethod.class, OnType.class, Blocking.class})
    void a_call_is_charged_once_and_a_rejection_is_not_retried(Class<? extends Partner> type) {
        runner.withBean(Publisher.class).withBean(type).run(context -> {
            Partner partner = context.getBean(Partner.class);
            List<String> steps = context.getBean(Trace.class).steps;

            for (int call = 1; call <= 2; call++) {
                assertThatIllegalStateException().isThrownBy(partner::call);
            }
            assertThat(steps).isEqualTo(Collections.nCopies(8, "attempt"));
            assertThat(rejected(context)).isZero();

            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(partner::call);
            assertThat(steps).hasSize(8);
            assertThat(rejected(context)).isEqualTo(1);
        });
    }

    @Test
    void retries_come_after_authorization_and_before_transactions() {
        runner.withUserConfiguration(OtherAdvice.class).withBean(OnMethod.class).run(context -> {
            assertThatIllegalStateException().isThrownBy(context.getBean(Partner.class)::call);
            assertThat(context.getBean(Trace.class).steps)
                    .containsExactly(
                            "authorization",
                            "transaction",
                            "attempt",
                            "transaction",
                            "attempt",
                            "transaction",
                            "attempt",
                            "transaction",
                            "attempt");
        });
    }

    @Test
    void with_the_last_order_each_attempt_is_charged() {
        runner.withPropertyValues("limiter.order=2147483647")
                .withBean(OnMethod.class)
                .run(context -> {
                    assertThatExceptionOfType(RateLimitExceededException.class)
                            .isThrownBy(context.getBean(Partner.class)::call);
                    assertThat(context.getBean(Trace.class).steps).containsExactly("attempt", "attempt");
                    assertThat(rejected(context)).isEqualTo(2);
                });
    }

    @Test
    void a_rejection_inside_of_a_retried_call_is_excluded() {
        runner.withBean(Limited.class).withBean(Outer.class).run(context -> {
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(context.getBean(Outer.class)::call);
            assertThat(context.getBean(Trace.class).steps).containsExactly("attempt", "attempt");
            assertThat(rejected(context)).isEqualTo(1);
        });
    }

    @Test
    void a_call_that_the_concurrency_limit_of_spring_rejects_is_not_charged() {
        runner.withBean(Reports.class).run(context -> {
            Reports reports = context.getBean(Reports.class);
            reports.write(() -> assertThatExceptionOfType(InvocationRejectedException.class)
                    .isThrownBy(() -> reports.write(() -> {})));
            reports.write(() -> {});
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> reports.write(() -> {}));
        });
    }

    @Test
    void on_a_type_the_limit_of_spring_is_for_all_methods_together_and_ours_for_each_unless_named() {
        runner.withBean(OnePerBean.class)
                .withBean(OnePerMethod.class)
                .withBean(OnePerName.class)
                .run(context -> {
                    OnePerBean perBean = context.getBean(OnePerBean.class);
                    perBean.read(() -> assertThatExceptionOfType(InvocationRejectedException.class)
                            .isThrownBy(perBean::write));

                    OnePerMethod perMethod = context.getBean(OnePerMethod.class);
                    perMethod.read(() -> {
                        perMethod.write();
                        assertThatExceptionOfType(RateLimitExceededException.class)
                                .isThrownBy(() -> perMethod.read(() -> {}));
                    });
                });
    }

    private static long rejected(ApplicationContext context) {
        return context.getBean(LimiterFactory.class).statistics().totals().stream()
                .mapToLong(LimiterTotals::rejected)
                .sum();
    }
}
