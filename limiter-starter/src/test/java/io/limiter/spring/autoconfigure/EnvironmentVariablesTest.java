package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.internal.web.HttpRule;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

/** Environment variables set what files set, under names without dashes, dots and capitals. */
class EnvironmentVariablesTest {

    static class Limited {

        @CountLimit(name = "perSecond", limit = 1, per = "1h")
        public void perSecond() {}

        @CountLimit(name = "api-search", limit = 1, per = "1h")
        public void search() {}

        @CountLimit(limit = 1, per = "1h")
        public void unnamed(String text) {}

        @CountLimit(name = "planned", limit = 1, per = "1h", key = "#{key}", plan = "#{plan}")
        public void planned(String key, String plan) {}
    }

    static class Colliding {

        @CountLimit(name = "perSecond", limit = 1, per = "1h")
        public void one() {}

        @CountLimit(name = "per-second", limit = 1, per = "1h")
        public void other() {}
    }

    /** Of one name to environment variables only. */
    static class OfOtherCharacters {

        @CountLimit(name = "get/2", limit = 1, per = "1h")
        public void one() {}

        @CountLimit(name = "get2", limit = 1, per = "1h")
        public void other() {}
    }

    private static ApplicationContextRunner limited(String... variables) {
        return Contexts.withVariables(Contexts.local().withBean(Limited.class), variables);
    }

    private static WebApplicationContextRunner rules(String... properties) {
        return Contexts.web().withConfiguration(Contexts.mvc()).withPropertyValues(properties);
    }

    private static int granted(Runnable call) {
        int granted = 0;
        for (int i = 0; i < 9; i++) {
            try {
                call.run();
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.decision().isGranted()).isFalse();
            }
        }
        return granted;
    }

    @Test
    void environment_variables_reach_every_limit() {
        try (LogLines log = new LogLines("io.limiter.spring.internal.settings.ConfiguredLimits")) {
            limited(
                            "LIMITER_LIMITS_PERSECOND_LIMIT=2",
                            "LIMITER_LIMITS_API_SEARCH_LIMIT=3",
                            "LIMITER_LIMITS_IO_LIMITER_SPRING_AUTOCONFIGURE_ENVIRONMENTVARIABLESTEST_LIMITED_UNNAMED_JAVA_LANG_STRING_LIMIT=4",
                            "LIMITER_LIMITS_PLANNED_PLANS_BIGCUSTOMER_LIMIT=5",
                            "LIMITER_LIMITS_PLANNED_BAN_AFTER=100",
                            "LIMITER_LIMITS_PLANNED_BAN_AT_MOST=1h")
                    .run(context -> {
                        Limited limited = context.getBean(Limited.class);
                        assertThat(granted(limited::perSecond)).isEqualTo(2);
                        assertThat(granted(limited::search)).isEqualTo(3);
                        assertThat(granted(() -> limited.unnamed("x"))).isEqualTo(4);
                        assertThat(granted(() -> limited.planned("x", "big-customer")))
                                .isEqualTo(5);
                        assertThat(granted(() -> limited.planned("y", "other"))).isEqualTo(1);
                    });
            assertThat(log.all()).isEmpty();
        }
        limited("LIMITER_LIMITS_APISEARCH_LIMIT=3")
                .run(context -> assertThat(granted(context.getBean(Limited.class)::search))
                        .isEqualTo(3));
    }

    @Test
    void environment_variables_override_files_that_write_names_with_other_characters() {
        String unnamed = "limiter.limits[" + Limited.class.getName() + ".unnamed(java.lang.String)].limit=2";
        limited(
                        "LIMITER_LIMITS_IO_LIMITER_SPRING_AUTOCONFIGURE_ENVIRONMENTVARIABLESTEST_LIMITED_UNNAMED_JAVA_LANG_STRING_LIMIT=4",
                        "LIMITER_LIMITS_PLANNED_PLANS_BIGCUSTOMER_LIMIT=5")
                .withPropertyValues(
                        unnamed,
                        "limiter.limits.planned.plans.Big-Customer.limit=2",
                        "limiter.limits.planned.plans.Big-Customer.per=1d")
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    assertThat(granted(() -> limited.unnamed("x"))).isEqualTo(4);
                    assertThat(granted(() -> limited.planned("x", "Big-Customer")))
                            .isEqualTo(5);
                });
    }

    @Test
    void environment_variables_change_and_add_rules() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Contexts.withVariables(
                        rules(
                                        "limiter.http.public-api.path=/api/**",
                                        "limiter.http.public-api.limits.perDay.limit=5",
                                        "limiter.http.public-api.limits.perDay.per=1d")
                                .withBean(LimiterFactory.class, () -> factory),
                        "LIMITER_HTTP_PUBLICAPI_LIMITS_PERDAY_LIMIT=7",
                        "LIMITER_HTTP_PUBLIC_API_LIMITS_SECOND_RATE=3",
                        "LIMITER_HTTP_LOGIN_PATH_0=/login",
                        "LIMITER_HTTP_LOGIN_PATH_1=/token",
                        "LIMITER_HTTP_LOGIN_LIMITS_MINUTE_LIMIT=1",
                        "LIMITER_HTTP_LOGIN_LIMITS_MINUTE_PER=60")
                .run(context -> {
                    assertThat(factory.names()).containsExactly("login", "public-api/perDay", "public-api/second");
                    assertThat(factory.built().get(1).limit().capacity()).isEqualTo(7);
                });
    }

    /** The name is that of the source that all others override, so that a profile changes no stored key. */
    @Test
    void names_that_differ_in_case_and_dashes_are_one_entry_under_the_spelling_of_the_file() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        WebApplicationContextRunner runner = rules(
                        "limiter.http.public-api.path=/api/**",
                        "limiter.http.public-api.limits.per-day.limit=5",
                        "limiter.http.public-api.limits.per-day.per=1d",
                        "limiter.http.public-api.limits.second.rate=5")
                .withBean(LimiterFactory.class, () -> factory);
        Contexts.withVariables(
                        runner.withInitializer(context -> context.getEnvironment()
                                .getPropertySources()
                                .addFirst(new MapPropertySource(
                                        "profile",
                                        Map.of(
                                                "limiter.http.publicApi.limits.perDay.limit",
                                                7,
                                                "limiter.http[publicApi].limits[PER-DAY].per",
                                                "2d",
                                                "limiter.http.Public_Api.order",
                                                7)))),
                        "LIMITER_HTTP_PUBLICAPI_LIMITS_SECOND_RATE=3")
                .run(context -> {
                    assertThat(context.getBean(ConfiguredRules.class)
                                    .beforeSecurity()
                                    .rules())
                            .extracting(HttpRule::name)
                            .containsExactly("public-api");
                    assertThat(factory.names()).containsExactly("public-api/per-day", "public-api/second");
                    assertThat(factory.built().get(0).limit()).isEqualTo(FixedWindow.of(7, Duration.ofDays(2)));
                    Map<String, HttpRuleSettings> bound =
                            context.getBean(PropertyNames.class).rules(context.getEnvironment());
                    assertThat(bound).containsOnlyKeys("public-api");
                    assertThat(bound.get("public-api").order()).isEqualTo(7);
                });
    }

    /** As Spring Boot binds them: with an underscore for each dash, or for none. */
    @ParameterizedTest
    @ValueSource(strings = {"LIMITER_FAILURE_FIRST_DECISION_TIMEOUT", "LIMITER_FAILURE_FIRSTDECISIONTIMEOUT"})
    void environment_variables_leave_out_dashes_or_split_at_them(String variable) {
        Contexts.withVariables(Contexts.local(), variable + "=7s")
                .run(context -> assertThat(context.getBean(LimiterProperties.class)
                                .failure()
                                .firstDecisionTimeout())
                        .hasSeconds(7));
    }

    @Test
    void a_plan_is_one_if_one_limit_of_a_rule_has_it_in_a_file_and_another_in_a_variable() {
        Contexts.withVariables(
                        rules(
                                "limiter.http.api.path=/api/**",
                                "limiter.http.api.plan=header:X-Plan",
                                "limiter.http.api.limits.second.rate=5",
                                "limiter.http.api.limits.second.plans.Pro.rate=10",
                                "limiter.http.api.limits.day.limit=5",
                                "limiter.http.api.limits.day.per=1d",
                                "limiter.http.other.path=/other/**",
                                "limiter.http.other.plan=header:X-Plan",
                                "limiter.http.other.limits.day.limit=5",
                                "limiter.http.other.limits.day.per=1d"),
                        "LIMITER_HTTP_API_LIMITS_DAY_PLANS_PRO_LIMIT=7",
                        "LIMITER_HTTP_OTHER_LIMITS_DAY_PLANS_PRO_LIMIT=7")
                .run(context -> {
                    Map<String, HttpRuleSettings> rules =
                            context.getBean(PropertyNames.class).rules(context.getEnvironment());
                    assertThat(rules.get("api").limits().values())
                            .allSatisfy(limit -> assertThat(limit.planNames()).containsExactly("Pro"));
                    assertThat(rules.get("other").limits().get("day").planNames())
                            .containsExactly("pro");
                });
    }

    @Test
    void two_rules_of_one_name_to_environment_variables_alone_fail_at_startup_if_a_variable_sets_one() {
        String[] twins = {
            "limiter.http[/login].path=/login",
            "limiter.http[/login].limits.day.limit=5",
            "limiter.http[/login].limits.day.per=1d",
            "limiter.http[/login/**].path=/login/**",
            "limiter.http[/login/**].limits.day.limit=6",
            "limiter.http[/login/**].limits.day.per=1d"
        };
        rules(twins)
                .run(context -> assertThat(context.getBean(ConfiguredRules.class)
                                .beforeSecurity()
                                .rules())
                        .extracting(HttpRule::name)
                        .containsExactly("/login", "/login/**"));
        Contexts.withVariables(rules(twins), "LIMITER_HTTP_LOGIN_ORDER=1")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.http[/login]")
                        .hasStackTraceContaining("limiter.http[/login/**]")
                        .hasStackTraceContaining("have the same environment variables, and one is set"));
    }

    @Test
    void two_limits_of_one_name_to_properties_fail_at_startup() {
        Contexts.local()
                .withBean(Colliding.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.limits.perSecond")
                        .hasStackTraceContaining("limiter.limits.per-second")
                        .hasStackTraceContaining("name two limits: give one of them another name"));
    }

    @Test
    void two_limits_of_one_name_to_environment_variables_alone_fail_at_startup_if_it_has_settings() {
        Contexts.local()
                .withBean(OfOtherCharacters.class)
                .run(context -> assertThat(context).hasNotFailed());
        Contexts.withVariables(Contexts.local().withBean(OfOtherCharacters.class), "LIMITER_LIMITS_GET2_LIMIT=2")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.limits[get/2]")
                        .hasStackTraceContaining("limiter.limits.get2"));
    }
}
