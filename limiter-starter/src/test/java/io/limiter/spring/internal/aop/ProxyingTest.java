package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** Proxies come into being whatever else does AOP in the application. */
class ProxyingTest {

    interface Greeter {
        void greet();
    }

    static class LimitedGreeter implements Greeter {

        @Override
        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void greet() {}
    }

    interface Repository {

        @RateLimit(rate = 1.0 / 60, burst = 60)
        void find();
    }

    /** As Spring Data makes its repositories: a proxy for an object that does not implement the interface. */
    static Repository repository() {
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(new Object());
        factory.setInterfaces(Repository.class);
        factory.addAdvice((MethodInterceptor) call -> null);
        return (Repository) factory.getProxy();
    }

    static class CallsAtOnce {

        CallsAtOnce(Greeter greeter) {
            greeter.greet();
        }
    }

    @Test
    void methods_are_limited_without_another_advisor() {
        check(Contexts.local(), true);
        check(Contexts.local().withPropertyValues("spring.aop.proxy-target-class=false"), false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void methods_are_limited_with_the_proxies_of_spring_boot(String auto) {
        ApplicationContextRunner runner =
                Contexts.local().withConfiguration(Contexts.aop()).withPropertyValues("spring.aop.auto=" + auto);
        check(runner, auto.equals("true"));
        check(runner.withPropertyValues("spring.aop.proxy-target-class=true"), true);
        check(runner.withPropertyValues("spring.aop.proxy-target-class=false"), false);
    }

    static class UnlimitedGreeter implements Greeter {

        @Override
        public void greet() {}
    }

    /** Of a library that needs no limits, as that of Spring's transactions. */
    @Configuration(proxyBeanMethods = false)
    static class OtherAdvisor {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor advisor() {
            Pointcut greeters = new ComposablePointcut((ClassFilter) Greeter.class::isAssignableFrom);
            return new DefaultPointcutAdvisor(greeters, (MethodInterceptor) MethodInvocation::proceed);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false"})
    void other_advisors_have_the_proxies_that_the_application_chose(String auto, boolean classProxy) {
        Contexts.local()
                .withConfiguration(Contexts.aop())
                .withUserConfiguration(OtherAdvisor.class)
                .withPropertyValues("spring.aop.auto=" + auto)
                .withBean(UnlimitedGreeter.class)
                .run(context -> {
                    Greeter greeter = context.getBean(Greeter.class);
                    assertThat(AopUtils.isAopProxy(greeter)).isTrue();
                    assertThat(AopUtils.isCglibProxy(greeter)).isEqualTo(classProxy);
                });
    }

    static final class FinalGreeter implements Greeter {

        @Override
        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void greet() {}
    }

    @Test
    void a_final_class_is_limited_by_its_interface() {
        check(Contexts.local().withPropertyValues("spring.aop.proxy-target-class=false"), FinalGreeter.class, false);
        Contexts.local()
                .withBean(FinalGreeter.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidLimitException.class)
                        .hasMessageContaining("spring.aop.proxy-target-class=false"));
    }

    @Test
    void a_repository_whose_interface_no_class_implements_is_limited() {
        Contexts.local().withBean(Repository.class, ProxyingTest::repository).run(context -> {
            assertThat(context).hasNotFailed();
            Repository repository = context.getBean(Repository.class);
            repository.find();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(repository::find);
        });
    }

    @Test
    void a_call_before_startup_has_ended_is_limited() {
        Contexts.local()
                .withBean(LimitedGreeter.class)
                .withBean(CallsAtOnce.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatExceptionOfType(RateLimitExceededException.class)
                            .isThrownBy(context.getBean(Greeter.class)::greet);
                });
    }

    private static void check(ApplicationContextRunner runner, boolean classProxy) {
        check(runner, LimitedGreeter.class, classProxy);
    }

    private static void check(ApplicationContextRunner runner, Class<? extends Greeter> type, boolean classProxy) {
        runner.withBean(type).run(context -> {
            assertThat(context).hasNotFailed();
            Greeter greeter = context.getBean(Greeter.class);
            assertThat(AopUtils.isCglibProxy(greeter)).isEqualTo(classProxy);
            greeter.greet();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(greeter::greet);
        });
    }
}
