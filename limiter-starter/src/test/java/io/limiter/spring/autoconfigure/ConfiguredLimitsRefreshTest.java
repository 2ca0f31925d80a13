package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.web.RouteRules;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.cloud.context.scope.refresh.RefreshScopeRefreshedEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** What changes of limits when Spring Cloud has changed the environment. */
class ConfiguredLimitsRefreshTest {

    static class Limited {

        @CountLimit(name = "count", limit = 3, period = "1h", limitType = LimitType.CUSTOM, key = "#{key}")
        public void count(String key) {}

        @CountLimit(name = "planned", limit = 1, period = "1h", key = "#{key}", plan = "#{plan}")
        public void planned(String key, String plan) {}

        @CountLimit(name = "other", limit = 3, period = "1h", limitType = LimitType.CUSTOM, key = "#{key}")
        public void other(String key) {}

        @RateLimit(name = "rate", rate = 20, capacity = 1, timeout = "1m", limitType = LimitType.CUSTOM, key = "#{key}")
        public void rate(String key) {}

        @ConcurrentLimit(name = "held", limit = 1)
        public void held(Runnable inside) {
            inside.run();
        }
    }

    private final Map<String, Object> settings = new HashMap<>();

    private void run(ContextConsumer<AssertableApplicationContext> test) {
        Contexts.local()
                .withBean(Limited.class)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", settings)))
                .run(test);
    }

    private void change(ConfigurableApplicationContext context, String name, Object value) {
        settings.put(name, value);
        context.publishEvent(new EnvironmentChangeEvent(Set.of(name)));
    }

    private static int granted(Limited limited) {
        String key = UUID.randomUUID().toString();
        int granted = 0;
        for (int i = 0; i < 6; i++) {
            try {
                limited.count(key);
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.key()).isEqualTo(key);
            }
        }
        return granted;
    }

    @Test
    void parameters_change_and_come_back() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            assertThat(granted(limited)).isEqualTo(3);
            change(context, "limiter.limits.count.limit", 5);
            assertThat(granted(limited)).isEqualTo(5);
            settings.clear();
            ApplicationEvent refreshed = new RefreshScopeRefreshedEvent();
            context.publishEvent(refreshed);
            assertThat(granted(limited)).isEqualTo(3);
        });
    }

    @Test
    void plans_are_added_changed_and_removed() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            assertThat(grantedPro(limited)).isEqualTo(1);
            change(context, "limiter.limits.planned.plans.pro.limit", 3);
            assertThat(grantedPro(limited)).isEqualTo(3);
            change(context, "limiter.limits.planned.plans.pro.limit", 2);
            assertThat(grantedPro(limited)).isEqualTo(2);
            assertThat(totals(context, "planned.pro").limit().orElseThrow().capacity())
                    .isEqualTo(2);
            change(context, "limiter.limits.planned.plans.pro.limit", 0);
            assertThat(grantedPro(limited)).as("an invalid one changes nothing").isEqualTo(2);
            settings.clear();
            change(context, "limiter.limits.planned.limit", 4);
            assertThat(grantedPro(limited)).isEqualTo(4);
        });
    }

    private static int grantedPro(Limited limited) {
        String key = UUID.randomUUID().toString();
        int granted = 0;
        for (int i = 0; i < 6; i++) {
            try {
                limited.planned(key, "pro");
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.key()).isEqualTo(key);
            }
        }
        return granted;
    }

    @Test
    void permits_that_are_taken_stay_taken() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            limited.count("ann");
            limited.count("ann");
            change(context, "limiter.limits.count.limit", 2);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.count("ann"));
            change(context, "limiter.limits.count.limit", 3);
            limited.count("ann");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.count("ann"));
        });
    }

    @Test
    void shadow_mode_is_switched_on_and_off() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            change(context, "limiter.limits.count.enforce", false);
            assertThat(granted(limited)).isEqualTo(6);
            change(context, "limiter.limits.count.enforce", true);
            assertThat(granted(limited)).isEqualTo(3);
        });
    }

    @Test
    void the_timeout_changes() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            limited.rate("ann");
            limited.rate("ann");
            change(context, "limiter.limits.rate.timeout", 0);
            change(context, "limiter.limits.rate.rate", 0.001);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.rate("ann"));
        });
    }

    @Test
    void the_failure_policy_changes() {
        run(context -> {
            change(context, "limiter.limits.count.failure-policy", "throw");
            assertThat(totals(context, "count").failurePolicy()).contains(FailurePolicy.THROW);
        });
    }

    @Test
    void a_concurrency_limit_changes() {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            Runnable nested = () -> limited.held(() -> limited.held(() -> {}));
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(nested::run);
            change(context, "limiter.limits.held.limit", 2);
            assertThatCode(nested::run).doesNotThrowAnyException();
            change(context, "limiter.limits.held.limit", 1);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(nested::run);
            change(context, "limiter.limits.held.enforce", false);
            assertThatCode(nested::run).doesNotThrowAnyException();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.limits.count.limit, 0, limiter.limits.count.limit must be between 1",
        "limiter.limits.count.limit, many, limiter.limits.count.limit",
        "limiter.limits.count.kind, maybe, limiter.limits.count.kind",
        "limiter.limits.count.rate, 5, rate has no effect on kind fixed-window",
        "limiter.limits.rate.burst, 1ms, limiter.limits.rate",
    })
    void a_change_that_is_invalid_changes_nothing_and_is_logged(String name, String value, String problem) {
        run(context -> {
            Limited limited = context.getBean(Limited.class);
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.put("limiter.limits.other.limit", 5);
                settings.put("limiter.limits.rate.timeout", 0);
                change(context, name, value);
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("ERROR The changed limiter.limits are invalid, all limits stay as they were: ")
                        .contains(problem);
                assertThat(granted(limited)).isEqualTo(3);
                assertThat(totals(context, "other").limit().orElseThrow().capacity())
                        .isEqualTo(3);
                settings.remove(name);
                change(context, "limiter.limits.count.limit", 4);
                assertThat(log.all()).last(as(STRING)).contains("apply to [count, other, rate]");
            }
            assertThat(granted(limited)).isEqualTo(4);
        });
    }

    @Test
    void the_kind_does_not_change() {
        run(context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.put("limiter.limits.count.limit", 1);
                settings.put("limiter.limits.count.period", "1h");
                change(context, "limiter.limits.count.kind", "sliding-log");
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .contains("limiter.limits.count.kind cannot change while the application runs");
            }
            assertThat(granted(context.getBean(Limited.class))).isEqualTo(3);
        });
    }

    @Test
    void other_events_and_other_settings_change_nothing() {
        run(context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                change(context, "limiter.order", 5);
                assertThat(log.all()).isEmpty();
            }
        });
    }

    @Test
    void a_bean_that_is_made_later_has_the_new_settings() {
        run(context -> {
            change(context, "limiter.limits.late.limit", 2);
            Late limited = context.getAutowireCapableBeanFactory().createBean(Late.class);
            limited.call();
            limited.call();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::call);
            assertThat(totals(context, "late").limit()).contains(new FixedWindow(2, Duration.ofHours(1), null));
        });
    }

    static class Late {

        @CountLimit(name = "late", limit = 9, period = "1h")
        public void call() {}
    }

    @Test
    void the_limit_of_a_rule_changes_and_permits_that_are_taken_stay_taken() {
        runWithRule(context -> {
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            change(context, "limiter.http.rule.limits.one.limit", 2);
            assertThat(status(context, "/a")).as("the second permit").isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
        });
    }

    @Test
    void a_plan_of_a_rule_is_added_and_removed() {
        runWithRule(context -> {
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            settings.put("limiter.http.rule.plan", "#{path == '/a' ? 'pro' : null}");
            change(context, "limiter.http.rule.limits.one.plans.pro.limit", 2);
            assertThat(status(context, "/a")).as("the second permit").isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            settings.remove("limiter.http.rule.plan");
            settings.remove("limiter.http.rule.limits.one.plans.pro.limit");
            change(context, "limiter.http.rule.limits.one.limit", 3);
            assertThat(status(context, "/a")).as("the third permit").isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
        });
    }

    @Test
    void a_rule_changes_into_shadow_mode() {
        runWithRule(context -> {
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            change(context, "limiter.http.rule.enforce", false);
            assertThat(status(context, "/a")).isEqualTo(200);
        });
    }

    @Test
    void a_new_rule_applies() {
        runWithRule(context -> {
            settings.put("limiter.http.other.limits.one.limit", 1);
            settings.put("limiter.http.other.limits.one.period", "1h");
            change(context, "limiter.http.other.path", "/b");
            assertThat(status(context, "/b")).isEqualTo(200);
            assertThat(status(context, "/b")).isEqualTo(429);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.http.rule.limits.one.limit, 0, limiter.http.rule.limits.one.limit must be between 1",
        "limiter.http.rule.key, user, no rule by user when the application started",
    })
    void a_change_of_rules_that_is_invalid_changes_no_rule_and_is_logged(String name, String value, String problem) {
        runWithRule(context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.put("limiter.http.rule.path", "/b");
                change(context, name, value);
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("ERROR The changed limiter.http is invalid, all of it stays as it was: ")
                        .contains(problem);
            }
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.limits.count.lim, limiter.limits.count.limit",
        "limiter.http.rule.pat, limiter.http.rule.path",
        "limiter.failure.polcy, limiter.failure.policy"
    })
    void a_misspelt_property_changes_nothing_and_is_logged(String name, String nearest) {
        runWithRule(context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                settings.put("limiter.http.rule.path", "/b");
                change(context, name, "5");
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .isEqualTo("ERROR The changed properties are invalid, all limits and rules stay as they were: "
                                + name + " is no property: did you mean " + nearest + "?");
                assertThat(status(context, "/a")).isEqualTo(200);
                assertThat(status(context, "/a")).isEqualTo(429);
                settings.remove(name);
                change(context, "limiter.http.rule.enforce", true);
                assertThat(log.all()).last(as(STRING)).startsWith("INFO limiter.http was read again");
            }
            assertThat(status(context, "/b")).as("no permit is left").isEqualTo(429);
        });
    }

    /** Without it, the rule would limit nothing unless a route named it. */
    @Test
    void a_rule_keeps_its_path_where_rules_of_routes_have_none() {
        WebApplicationContextRunner gateway =
                Contexts.web().withBean(RouteRules.Filter.class, () -> new RouteRules.Filter() {});
        runWithRule(gateway, context -> {
            try (LogLines log = new LogLines(ConfiguredLimitsRefresh.class)) {
                change(context, "limiter.http.rule.path", "");
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("ERROR The changed limiter.http is invalid, all of it stays as it was: ")
                        .contains("limiter.http.rule.path must not become empty");
            }
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
        });
    }

    private void runWithRule(ContextConsumer<AssertableWebApplicationContext> test) {
        runWithRule(Contexts.web(), test);
    }

    private void runWithRule(
            WebApplicationContextRunner runner, ContextConsumer<AssertableWebApplicationContext> test) {
        settings.put("limiter.http.rule.path", "/a");
        settings.put("limiter.http.rule.limits.one.limit", 1);
        settings.put("limiter.http.rule.limits.one.period", "1h");
        runner.withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", settings)))
                .run(test);
    }

    private static int status(AssertableWebApplicationContext context, String path) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                .getFilter()
                .doFilter(new MockHttpServletRequest("GET", path), response, new MockFilterChain());
        return response.getStatus();
    }

    private static LimiterTotals totals(ConfigurableApplicationContext context, String name) {
        return context.getBean(LimiterFactory.class).statistics().totals().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
