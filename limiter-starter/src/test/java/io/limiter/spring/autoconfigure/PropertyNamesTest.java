package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.web.HttpLimit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Which properties and environment variables there are, and what becomes of others. */
class PropertyNamesTest {

    static class Limited {

        @CountLimit(name = "perSecond", limit = 1, period = "1h")
        public void perSecond() {}

        @CountLimit(name = "api-search", limit = 1, period = "1h")
        public void search() {}

        @CountLimit(limit = 1, period = "1h")
        public void unnamed(String text) {}

        @CountLimit(name = "planned", limit = 1, period = "1h", key = "#{key}", plan = "#{plan}")
        public void planned(String key, String plan) {}
    }

    static class Colliding {

        @CountLimit(name = "perSecond", limit = 1, period = "1h")
        public void one() {}

        @CountLimit(name = "per-second", limit = 1, period = "1h")
        public void other() {}
    }

    /** Of one name to environment variables only. */
    static class OfOtherCharacters {

        @CountLimit(name = "get/2", limit = 1, period = "1h")
        public void one() {}

        @CountLimit(name = "get2", limit = 1, period = "1h")
        public void other() {}
    }

    /** Adds the settings as environment variables. */
    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R with(R runner, String... variables) {
        Map<String, Object> values = new HashMap<>();
        for (String variable : variables) {
            int equals = variable.indexOf('=');
            values.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return runner.withInitializer(context -> ((ConfigurableApplicationContext) context)
                .getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", values)));
    }

    private static int granted(Runnable call) {
        int granted = 0;
        for (int i = 0; i < 9; i++) {
            try {
                call.run();
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.decision().granted()).isFalse();
            }
        }
        return granted;
    }

    @Test
    void environment_variables_reach_every_limit() {
        try (LogLines log = new LogLines("io.limiter.spring.settings.ConfiguredLimits")) {
            with(
                            Contexts.local().withBean(Limited.class),
                            "LIMITER_LIMITS_PERSECOND_LIMIT=2",
                            "LIMITER_LIMITS_API_SEARCH_LIMIT=3",
                            "LIMITER_LIMITS_IO_LIMITER_SPRING_AUTOCONFIGURE_PROPERTYNAMESTEST_LIMITED_UNNAMED_JAVA_LANG_STRING_LIMIT=4",
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
        with(Contexts.local().withBean(Limited.class), "LIMITER_LIMITS_APISEARCH_LIMIT=3")
                .run(context -> assertThat(granted(context.getBean(Limited.class)::search))
                        .isEqualTo(3));
    }

    @Test
    void environment_variables_override_files_that_write_names_with_other_characters() {
        String unnamed = "limiter.limits[" + Limited.class.getName() + ".unnamed(java.lang.String)].limit=2";
        with(
                        Contexts.local()
                                .withBean(Limited.class)
                                .withPropertyValues(
                                        unnamed,
                                        "limiter.limits.planned.plans.Big-Customer.limit=2",
                                        "limiter.limits.planned.plans.Big-Customer.period=1d"),
                        "LIMITER_LIMITS_IO_LIMITER_SPRING_AUTOCONFIGURE_PROPERTYNAMESTEST_LIMITED_UNNAMED_JAVA_LANG_STRING_LIMIT=4",
                        "LIMITER_LIMITS_PLANNED_PLANS_BIGCUSTOMER_LIMIT=5")
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
        with(
                        Contexts.web()
                                .withConfiguration(Contexts.mvc())
                                .withBean(LimiterFactory.class, () -> factory)
                                .withPropertyValues(
                                        "limiter.http.public-api.path=/api/**",
                                        "limiter.http.public-api.limits.perDay.limit=5",
                                        "limiter.http.public-api.limits.perDay.period=1d"),
                        "LIMITER_HTTP_PUBLICAPI_LIMITS_PERDAY_LIMIT=7",
                        "LIMITER_HTTP_PUBLIC_API_LIMITS_SECOND_RATE=3",
                        "LIMITER_HTTP_LOGIN_PATH_0=/login",
                        "LIMITER_HTTP_LOGIN_PATH_1=/token",
                        "LIMITER_HTTP_LOGIN_LIMITS_MINUTE_LIMIT=1",
                        "LIMITER_HTTP_LOGIN_LIMITS_MINUTE_PERIOD=60")
                .run(context -> {
                    assertThat(factory.names()).containsExactly("login", "public-api/perDay", "public-api/second");
                    assertThat(factory.built().get(1).limit().capacity()).isEqualTo(7);
                });
    }

    /** As Spring Boot binds them: with an underscore for each dash, or for none. */
    @ParameterizedTest
    @ValueSource(strings = {"LIMITER_FAILURE_FIRST_DECISION_TIMEOUT", "LIMITER_FAILURE_FIRSTDECISIONTIMEOUT"})
    void environment_variables_leave_out_dashes_or_split_at_them(String variable) {
        with(Contexts.local(), variable + "=7s")
                .run(context -> assertThat(context.getBean(LimiterProperties.class)
                                .failure()
                                .firstDecisionTimeout())
                        .hasSeconds(7));
    }

    @Test
    void a_plan_is_one_if_one_limit_of_a_rule_has_it_in_a_file_and_another_in_a_variable() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        with(
                        Contexts.web()
                                .withConfiguration(Contexts.mvc())
                                .withBean(LimiterFactory.class, () -> factory)
                                .withPropertyValues(
                                        "limiter.http.api.path=/api/**",
                                        "limiter.http.api.plan=header:X-Plan",
                                        "limiter.http.api.limits.second.rate=5",
                                        "limiter.http.api.limits.second.plans.Pro.rate=10",
                                        "limiter.http.api.limits.day.limit=5",
                                        "limiter.http.api.limits.day.period=1d",
                                        "limiter.http.other.path=/other/**",
                                        "limiter.http.other.plan=header:X-Plan",
                                        "limiter.http.other.limits.day.limit=5",
                                        "limiter.http.other.limits.day.period=1d"),
                        "LIMITER_HTTP_API_LIMITS_DAY_PLANS_PRO_LIMIT=7",
                        "LIMITER_HTTP_OTHER_LIMITS_DAY_PLANS_PRO_LIMIT=7")
                .run(context -> {
                    Map<String, HttpRule> rules =
                            context.getBean(PropertyNames.class).rules(context.getEnvironment());
                    assertThat(rules.get("api").limits().values())
                            .allSatisfy(limit -> assertThat(limit.planNames()).containsExactly("Pro"));
                    assertThat(rules.get("other").limits().get("day").planNames())
                            .containsExactly("pro");
                });
    }

    @Test
    void two_rules_of_one_name_to_environment_variables_alone_prevent_startup_if_a_variable_sets_one() {
        String[] rules = {
            "limiter.http[/login].path=/login",
            "limiter.http[/login].limits.day.limit=5",
            "limiter.http[/login].limits.day.period=1d",
            "limiter.http[/login/**].path=/login/**",
            "limiter.http[/login/**].limits.day.limit=6",
            "limiter.http[/login/**].limits.day.period=1d"
        };
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(rules)
                .run(context -> assertThat(
                                context.getBean(HttpRules.class).first().limits())
                        .extracting(HttpLimit::name)
                        .containsExactly("/login", "/login/**"));
        with(Contexts.web().withConfiguration(Contexts.mvc()).withPropertyValues(rules), "LIMITER_HTTP_LOGIN_ORDER=1")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.http[/login]")
                        .hasStackTraceContaining("limiter.http[/login/**]")
                        .hasStackTraceContaining("have the same environment variables, and one is set"));
    }

    @Test
    void two_limits_of_one_name_to_properties_prevent_startup() {
        Contexts.local()
                .withBean(Colliding.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.limits.perSecond")
                        .hasStackTraceContaining("limiter.limits.per-second")
                        .hasStackTraceContaining("name two limits: give one of them another name"));
    }

    @Test
    void two_limits_of_one_name_to_environment_variables_alone_prevent_startup_if_it_has_settings() {
        Contexts.local()
                .withBean(OfOtherCharacters.class)
                .run(context -> assertThat(context).hasNotFailed());
        with(Contexts.local().withBean(OfOtherCharacters.class), "LIMITER_LIMITS_GET2_LIMIT=2")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.limits[get/2]")
                        .hasStackTraceContaining("limiter.limits.get2"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    limiter.failure.polcy=deny              | did you mean limiter.failure.policy?
                    limiter.failre.policy=deny              | did you mean limiter.failure.policy?
                    limiter.enable=false                    | did you mean limiter.enabled?
                    limiter.limit.search.rate=5             | did you mean limiter.limits.search.rate?
                    limiter.limits.search.rat=5             | did you mean limiter.limits.search.rate?
                    limiter.limits.search.ban.att-most=5    | did you mean limiter.limits.search.ban.at-most?
                    limiter.limits.search.plans.pro.rats=5  | did you mean limiter.limits.search.plans.pro.rate?
                    limiter.http.api.limits.day.limits=5    | did you mean limiter.http.api.limits.day.limit?
                    limiter.http.api.cots=5                 | did you mean limiter.http.api.cost?
                    limiter.key.trusted-proxy=::1           | did you mean limiter.key.trusted-proxies?
                    limiter.key.trusted-prox[0]=::1         | did you mean limiter.key.trusted-proxies?
                    limiter.key.trusted-proxies.lan=::1     | limiter.key.trusted-proxies.lan is no property
                    limiter.limits.api.v1.rate=5            | in brackets: limiter.limits[api.v1].rate
                    limiter.whatever=5                      | remove it, or use one of cache,
                    limiter.lock.nothing-like-it=5          | remove it, or use one of kind, lease, max-wait
                    limiter.limits.com.acme.Sms.rate=5      | in brackets: limiter.limits[com.acme.Sms].rate
                    """)
    void a_misspelt_property_prevents_startup_with_the_nearest_name(String setting, String problem) {
        String name = setting.substring(0, setting.indexOf('=')).toLowerCase(Locale.ROOT);
        for (String enabled : new String[] {"true", "false"}) {
            Contexts.local()
                    .withPropertyValues("limiter.enabled=" + enabled, setting)
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasMessageStartingWith(name + " is no property: ")
                            .hasMessageContaining(problem));
        }
    }

    @Test
    void all_misspelt_properties_are_named_at_once() {
        Contexts.local()
                .withPropertyValues("limiter.failure.polcy=deny", "limiter.enable=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("limiter.failure.polcy is no property")
                        .hasMessageContaining("limiter.enable is no property"));
    }

    @ParameterizedTest
    @CsvSource({
        "LIMITER_FAILURE_POLCY, limiter.failure.polcy is no property: did you mean limiter.failure.policy?",
        "LIMITER_LIMITS_SEARCH_RAET, limiter.limits.search.raet is no property: did you mean limiter.limits.search.rate?",
        "LIMITER_FAILURE_FIRST_DECISIONTIMEOUT, did you mean limiter.failure.first-decision-timeout?",
        "LIMITER_KEY_TRUSTED_PROX_IES_0, did you mean limiter.key.trusted-proxies?",
        "LIMITER_ENABLE, did you mean limiter.enabled?"
    })
    void an_environment_variable_that_is_nearly_a_property_prevents_startup(String variable, String problem) {
        with(Contexts.local(), variable + "=1")
                .run(context -> assertThat(context.getStartupFailure()).hasMessageContaining(problem));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LIMITER_HOME=/opt/limiter",
                "LIMITER_VERSION=1",
                "LIMITER_URL=http://limiter",
                "LIMITER_SERVICE_HOST=10.0.0.1",
                "LIMITER_SERVICE_PORT=6379",
                "LIMITER_SERVICE_PORT_HTTP=80",
                "LIMITER_PORT=tcp://10.0.0.1:6379",
                "LIMITER_PORT_6379_TCP=tcp://10.0.0.1:6379",
                "LIMITER_PORT_6379_TCP_ADDR=10.0.0.1",
                "LIMITER_PORT_6379_TCP_PORT=6379",
                "LIMITER_PORT_6379_TCP_PROTO=tcp",
                "LIMITER_HTTP_SERVER_HOST=0.0.0.0",
                "LIMITER_CONSOLE_SERVICE_HOST=10.0.0.1",
                "LIMITER_HTTP_PORT=tcp://10.0.0.1:80",
                "LIMITER_HTTP_PORT_80_TCP_PROTO=tcp",
                "LIMITER_HTTP_SERVICE_HOST=10.0.0.1",
                "LIMITER_HTTP_SERVICE_PORT=80",
                "LIMITER_LIMITS_SERVICE_HOST=10.0.0.1",
                "LIMITER_LIMITS_PORT=tcp://10.0.0.1:80",
                "LIMITERS=5"
            })
    void an_environment_variable_for_something_else_prevents_nothing(String variable) {
        try (LogLines log = new LogLines(PropertyNames.class)) {
            with(Contexts.web().withConfiguration(Contexts.mvc()), variable).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(HttpRules.class).first().limits()).isEmpty();
            });
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void an_environment_variable_among_those_of_the_limiter_is_logged() {
        try (LogLines log = new LogLines(PropertyNames.class)) {
            with(Contexts.local(), "LIMITER_FAILURE_BUDGET=1s")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The environment variable of limiter.failure.budget is no property");
        }
    }

    @Test
    void a_variable_below_a_rule_that_has_nothing_else_is_for_something_else() {
        String variable = "LIMITER_HTTP_SERVER_PATHS=/srv";
        try (LogLines log = new LogLines(PropertyNames.class)) {
            with(Contexts.web(), variable).run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The environment variable of limiter.http.server.paths is no property");
        }
        with(Contexts.web(), variable)
                .withPropertyValues("limiter.http.server.path=/a", "limiter.http.server.limits.one.rate=5")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("limiter.http.server.paths is no property: did you mean"
                                + " limiter.http.server.path?"));
    }

    @Test
    void properties_of_a_module_that_is_missing_are_logged() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("shared", Map.of("limiter.console.enabled", "true")));
        try (LogLines log = new LogLines(PropertyNames.class)) {
            new PropertyNames(List.of()).check(environment);
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .isEqualTo("WARN limiter.console.enabled has no effect, because the module limiter-console is not"
                            + " on the class path");
        }
    }

    @Test
    void limits_of_outgoing_calls_without_their_module_prevent_startup() {
        PropertyNames withoutModules = new PropertyNames(List.of());
        for (PropertySource<?> source : List.of(
                new MapPropertySource("file", Map.of("limiter.clients.maps.limits.day.limit", 5)),
                new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("LIMITER_CLIENTS_MAPS_LIMITS_DAY_LIMIT", 5)))) {
            StandardEnvironment environment = new StandardEnvironment();
            environment.getPropertySources().addFirst(source);
            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() -> withoutModules.check(environment))
                    .withMessageMatching(
                            "limiter.clients.maps.limits.day.limit(, an environment variable,)? needs a module that is"
                                    + " missing: add the dependency io.limiter:limiter-spring-client, or remove the"
                                    + " property");
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("LIMITER_CLIENTS_FILE", "/etc/clients")));
        withoutModules.check(environment);
    }
}
