package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.web.RouteRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** What changes of rules when Spring Cloud has changed the environment. */
class HttpRulesRefreshTest {

    private final ChangingSettings settings = new ChangingSettings();

    @Test
    void the_limit_of_a_rule_changes_and_permits_that_are_taken_stay_taken() {
        runWithRule(context -> {
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            settings.change(context, "limiter.http.rule.limits.one.limit", 2);
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
            settings.change(context, "limiter.http.rule.limits.one.plans.pro.limit", 2);
            assertThat(status(context, "/a")).as("the second permit").isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            settings.remove("limiter.http.rule.plan");
            settings.remove("limiter.http.rule.limits.one.plans.pro.limit");
            settings.change(context, "limiter.http.rule.limits.one.limit", 3);
            assertThat(status(context, "/a")).as("the third permit").isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
        });
    }

    @Test
    void a_rule_changes_into_shadow_mode() {
        runWithRule(context -> {
            assertThat(status(context, "/a")).isEqualTo(200);
            assertThat(status(context, "/a")).isEqualTo(429);
            settings.change(context, "limiter.http.rule.enforce", false);
            assertThat(status(context, "/a")).isEqualTo(200);
        });
    }

    @Test
    void a_new_rule_applies() {
        runWithRule(context -> {
            settings.put("limiter.http.other.limits.one.limit", 1);
            settings.put("limiter.http.other.limits.one.period", "1h");
            settings.change(context, "limiter.http.other.path", "/b");
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
                settings.change(context, name, value);
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
                settings.change(context, name, "5");
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .isEqualTo("ERROR The changed properties are invalid, all limits and rules stay as they were: "
                                + name + " is no property: did you mean " + nearest + "?");
                assertThat(status(context, "/a")).isEqualTo(200);
                assertThat(status(context, "/a")).isEqualTo(429);
                settings.remove(name);
                settings.change(context, "limiter.http.rule.enforce", true);
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
                settings.change(context, "limiter.http.rule.path", "");
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
        settings.in(runner).run(test);
    }

    private static int status(AssertableWebApplicationContext context, String path) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                .getFilter()
                .doFilter(new MockHttpServletRequest("GET", path), response, new MockFilterChain());
        return response.getStatus();
    }
}
