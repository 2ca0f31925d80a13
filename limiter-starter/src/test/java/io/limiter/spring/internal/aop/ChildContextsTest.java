package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.support.GenericApplicationContext;

/** Annotations limit in a parent and in its children, whatever makes their proxies, once for each call. */
class ChildContextsTest {

    interface Counted {
        void call();
    }

    static class Two implements Counted {

        @Override
        @CountLimit(name = "two", limit = 2, per = "1h")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy
    static class AspectJ {}

    private static void grantsTwo(ApplicationContext context) {
        Counted counted = context.getBean(Counted.class);
        counted.call();
        counted.call();
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(counted::call);
    }

    private static ApplicationContextRunner child(ApplicationContext parent) {
        return Contexts.local().withParent(parent).withBean(Two.class);
    }

    private static void inParent(ApplicationContextRunner runner, Consumer<ApplicationContext> test) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, true", "true, true, false", "true, false, true", "true, false, false",
        "false, true, true", "false, true, false", "false, false, true", "false, false, false"
    })
    void a_child_with_the_auto_configuration_limits_its_beans(boolean ofBoot, boolean aspectJ, boolean classes) {
        String proxies = "spring.aop.proxy-target-class=" + classes;
        // Of the parent, too: in Spring 7 it decides the proxies of its children.
        inParent(Contexts.local().withPropertyValues(proxies), parent -> {
            ApplicationContextRunner child = child(parent).withPropertyValues(proxies);
            child = ofBoot ? child.withConfiguration(Contexts.aop()) : child;
            child = aspectJ ? child.withUserConfiguration(AspectJ.class) : child;
            child.run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(AopUtils.isCglibProxy(context.getBean(Counted.class)))
                        .isEqualTo(classes);
                grantsTwo(context);
            });
        });
    }

    @Test
    void a_child_without_proxies_of_spring_boot_limits_its_beans() {
        inParent(
                Contexts.local().withConfiguration(Contexts.aop()),
                parent -> child(parent)
                        .withConfiguration(Contexts.aop())
                        .withPropertyValues("spring.aop.auto=false")
                        .run(context -> {
                            assertThat(context).hasNotFailed();
                            grantsTwo(context);
                        }));
    }

    @Test
    void a_parent_limits_its_beans_and_shares_the_permits_with_its_children() {
        inParent(Contexts.local().withBean(Two.class), parent -> {
            parent.getBean(Counted.class).call();
            child(parent).run(context -> {
                context.getBean(Two.class).call();
                assertThatExceptionOfType(RateLimitExceededException.class)
                        .isThrownBy(context.getBean(Two.class)::call);
                assertThatExceptionOfType(RateLimitExceededException.class)
                        .isThrownBy(parent.getBean(Counted.class)::call);
                assertThat(context.getBean(LimiterFactory.class)).isSameAs(parent.getBean(LimiterFactory.class));
            });
        });
    }

    @Test
    void the_meters_of_a_parent_count_the_calls_of_its_children() {
        inParent(
                Contexts.local(),
                parent -> child(parent).run(context -> {
                    assertThat(context.getBean(AnnotationLimitAdvisor.class))
                            .isNotSameAs(parent.getBean(AnnotationLimitAdvisor.class));
                    assertThat(context.getBean(AnnotationLimitAdvisor.class).callCounts())
                            .isSameAs(
                                    parent.getBean(AnnotationLimitAdvisor.class).callCounts());
                }));
    }

    @Test
    void a_plain_child_that_makes_proxies_of_its_own_limits_its_beans_by_the_parent() {
        inParent(Contexts.local(), parent -> {
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(parent);
                child.register(AspectJ.class, Two.class);
                child.refresh();
                grantsTwo(child);
            }
        });
    }

    /** Of Spring's creator for infrastructure, which takes no advisors of a parent, or of none. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_child_whose_beans_are_not_limited_is_warned_of(boolean infrastructure) {
        inParent(Contexts.local(), parent -> {
            try (LogLines logged = new LogLines(UnlimitedBeans.class);
                    GenericApplicationContext child = new GenericApplicationContext(parent)) {
                if (infrastructure) {
                    AopConfigUtils.registerAutoProxyCreatorIfNecessary(child);
                }
                child.registerBean("counted", Two.class);
                child.registerBean("other", Object.class);
                child.refresh();
                for (int i = 0; i < 3; i++) {
                    child.getBean(Counted.class).call();
                }
                assertThat(logged.all())
                        .singleElement()
                        .satisfies(message -> assertThat(message)
                                .startsWith("WARN The limits of these beans have no effect")
                                .contains(
                                        "{counted=" + Two.class.getName() + "}",
                                        "@EnableAspectJAutoProxy",
                                        child.getDisplayName()));
            }
        });
    }

    @Test
    void children_whose_beans_are_limited_are_not_warned_of() {
        try (LogLines logged = new LogLines(UnlimitedBeans.class)) {
            a_plain_child_that_makes_proxies_of_its_own_limits_its_beans_by_the_parent();
            a_child_without_proxies_of_spring_boot_limits_its_beans();
            assertThat(logged.all()).isEmpty();
        }
    }

    static class Planned {

        @CountLimit(name = "planned", key = "#{key}", limit = 1, per = "1h")
        public void call(String key) {}
    }

    static class GoldForAll implements PlanResolver {

        @Override
        public String planOf(PlanRequest request) {
            return "gold";
        }
    }

    /** What limits the beans of a child knows the other beans there, and its configuration. */
    @Test
    void a_child_limits_by_its_own_beans_and_properties() {
        inParent(
                Contexts.local(),
                parent -> child(parent)
                        .withBean(Planned.class)
                        .withBean(GoldForAll.class)
                        .withPropertyValues("limiter.limits.planned.plans.gold.limit=3")
                        .run(context -> {
                            assertThat(context).hasNotFailed();
                            Planned planned = context.getBean(Planned.class);
                            for (int i = 0; i < 3; i++) {
                                planned.call("ann");
                            }
                            assertThatExceptionOfType(RateLimitExceededException.class)
                                    .isThrownBy(() -> planned.call("ann"));
                            assertThat(context.getBean(LimiterFactory.class)
                                            .with(LimiterOptions.NONE
                                                    .withPrefix("countLimit:")
                                                    .withPlan("gold"))
                                            .build("planned", FixedWindow.of(3, Duration.ofHours(1)))
                                            .on("ann")
                                            .peek()
                                            .remaining())
                                    .isZero();
                        }));
    }
}
