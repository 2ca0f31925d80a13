package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.internal.settings.UnknownProperties;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** What becomes of properties and environment variables that are no properties of the limiter. */
class PropertyNamesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    limiter.on-failre=deny              | did you mean limiter.on-failure?
                    limiter.failre.warm-up=false            | did you mean limiter.failure.warm-up?
                    limiter.failure.first.decision.timeout=1s | did you mean limiter.failure.first-decision-timeout?
                    limiter.enable=false                    | did you mean limiter.enabled?
                    limiter.limit.search.rate=5             | did you mean limiter.limits.search.rate?
                    limiter.limits.search.rat=5             | did you mean limiter.limits.search.rate?
                    limiter.limits.search.ban.att-most=5    | did you mean limiter.limits.search.ban.at-most?
                    limiter.limits.search.plans.pro.rats=5  | did you mean limiter.limits.search.plans.pro.rate?
                    limiter.http.api.limits.day.limits=5    | did you mean limiter.http.api.limits.day.limit?
                    limiter.http.api.cots=5                 | did you mean limiter.http.api.cost?
                    """)
    void a_name_within_two_letters_of_a_property_fails(String setting, String problem) {
        String name = setting.substring(0, setting.indexOf('='));
        assertFails(failure(properties(setting)), name, problem);
        String variable = setting.replace('.', '_').replace("-", "").toUpperCase(Locale.ROOT);
        if (!name.contains("first.decision")) {
            // Of a rule that has nothing else a variable is for something else.
            assertFails(failure(variables(variable, "LIMITER_HTTP_API_ORDER=1")), name.replace("-", ""), problem);
        }
    }

    @Test
    void an_application_with_such_a_name_does_not_start_wherever_it_has_it_and_without_limits_neither() {
        String problem = "did you mean limiter.on-failure?";
        for (String enabled : new String[] {"true", "false"}) {
            Contexts.local()
                    .withPropertyValues("limiter.enabled=" + enabled, "limiter.on-failre=deny")
                    .run(context -> assertFails(context.getStartupFailure(), "limiter.on-failre", problem));
        }
        Contexts.local()
                .withSystemProperties("limiter.on-failre=deny")
                .run(context -> assertFails(context.getStartupFailure(), "limiter.on-failre", problem));
        Contexts.withVariables(Contexts.local(), "LIMITER_ONFAILRE=deny")
                .run(context -> assertFails(context.getStartupFailure(), "limiter.onfailre", problem));
    }

    private static StandardEnvironment properties(String... settings) {
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of(settings).applyTo(environment);
        return environment;
    }

    private static StandardEnvironment variables(String... variables) {
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of(variables)
                .applyTo(environment, TestPropertyValues.Type.SYSTEM_ENVIRONMENT, "test-systemEnvironment");
        return environment;
    }

    private static Throwable failure(StandardEnvironment environment) {
        return catchThrowable(() -> new PropertyNames().check(environment));
    }

    private static void assertFails(Throwable failure, String name, String problem) {
        assertThat(failure)
                .isNotNull()
                .hasMessageStartingWith(name + " is not a property: ")
                .hasMessageContaining(problem);
    }

    /** Also the properties of a later version, whose configuration this one has after a rollback. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    limiter.key.trusted-proxy=::1           | did you mean limiter.key.trusted-proxies?
                    limiter.key.trusted-proxies.lan=::1     | did you mean limiter.key.trusted-proxies?
                    limiter.limits.api.v1.rate=5            | in brackets: limiter.limits[api.v1].rate
                    limiter.limits.com.acme.Sms.rate=5      | in brackets: limiter.limits[com.acme.Sms].rate
                    limiter.whatever=5                      | enabled, engine, failure,
                    limiter.limits.search.key=5             | remove it, or use one of kind,
                    limiter.local.nothing-like-it=5         | remove it, or use one of max-keys
                    """)
    void any_other_name_is_logged_once(String setting, String remedy) {
        String name = setting.substring(0, setting.indexOf('='));
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            PropertyNames names = new PropertyNames();
            names.check(properties(setting));
            names.check(properties(setting));
            TestPropertyValues.of(setting).applyToSystemProperties(() -> {
                new PropertyNames().check(new StandardEnvironment());
                return null;
            });
            assertThat(log.all())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .startsWithIgnoringCase(
                                    "WARN " + name + " is not a property of the limiter, and has no effect: ")
                            .contains(remedy));
        }
    }

    @Test
    void all_misspelt_properties_are_named_at_once() {
        Contexts.local()
                .withPropertyValues("limiter.on-failre=deny", "limiter.enable=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("limiter.on-failre is not a property")
                        .hasMessageContaining("limiter.enable is not a property"));
    }

    @ParameterizedTest
    @CsvSource({
        "LIMITER_ONFAILRE, limiter.onfailre is not a property: did you mean limiter.on-failure?",
        "LIMITER_LIMITS_SEARCH_RAET, limiter.limits.search.raet is not a property: did you mean limiter.limits.search.rate?",
        "LIMITER_FAILURE_FIRST_DECISIONTIMEOUT, did you mean limiter.failure.first-decision-timeout?",
        "LIMITER_KEY_TRUSTED_PROX_IES, did you mean limiter.key.trusted-proxies?",
        "LIMITER_ENABLE, did you mean limiter.enabled?"
    })
    void an_environment_variable_that_is_nearly_a_property_fails(String variable, String problem) {
        assertThat(failure(variables(variable + "=1"))).hasMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LIMITER_HOME=/opt/limiter",
                "LIMITER_VERSION=1",
                "LIMITER_URL=http://limiter",
                "LIMITER_HTTP_SERVER_HOST=0.0.0.0",
                "LIMITER_FAILURE_BUDGET=1s"
            })
    void another_environment_variable_prevents_nothing_and_is_logged(String variable) {
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            assertIgnored(variable);
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The environment variable " + variable.substring(0, variable.indexOf('='))
                            + " is not a property of the limiter, and has no effect: ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LIMITER_SERVICE_HOST=10.0.0.1",
                "LIMITER_SERVICE_PORT=6379",
                "LIMITER_SERVICE_PORT_HTTP=80",
                "LIMITER_PORT=tcp://10.0.0.1:6379",
                "LIMITER_PORT_6379_TCP=tcp://10.0.0.1:6379",
                "LIMITER_PORT_6379_TCP_ADDR=10.0.0.1",
                "LIMITER_PORT_6379_TCP_PORT=6379",
                "LIMITER_PORT_6379_TCP_PROTO=tcp",
                "LIMITER_CONSOLE_SERVICE_HOST=10.0.0.1",
                "LIMITER_HTTP_PORT=tcp://10.0.0.1:80",
                "LIMITER_HTTP_PORT_80_TCP_PROTO=tcp",
                "LIMITER_HTTP_SERVICE_HOST=10.0.0.1",
                "LIMITER_HTTP_SERVICE_PORT=80",
                "LIMITER_LIMITS_SERVICE_HOST=10.0.0.1",
                "LIMITER_LIMITS_PORT=tcp://10.0.0.1:80"
            })
    void variables_of_kubernetes_are_ignored_with_a_line(String variable) {
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            assertIgnored(variable);
            assertThat(log.all())
                    .containsExactly("INFO Ignored [" + variable.substring(0, variable.indexOf('='))
                            + "]: such variables are set by Kubernetes for a service whose name begins with limiter");
        }
    }

    @Test
    void a_variable_of_another_name_is_not_even_logged() {
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            assertIgnored("LIMITERS=5");
            assertThat(log.all()).isEmpty();
        }
    }

    private static void assertIgnored(String variable) {
        StandardEnvironment environment = variables(variable);
        PropertyNames names = new PropertyNames();
        names.check(environment);
        assertThat(names.rules(environment)).isEmpty();
    }

    @Test
    void an_application_with_such_variables_starts_and_has_no_rule() {
        Contexts.withVariables(
                        Contexts.web().withConfiguration(Contexts.mvc()),
                        "LIMITER_HOME=/opt/limiter",
                        "LIMITER_FAILURE_BUDGET=1s",
                        "LIMITER_SERVICE_HOST=10.0.0.1",
                        "LIMITER_PORT=tcp://10.0.0.1:6379",
                        "LIMITER_HTTP_PORT=tcp://10.0.0.1:80",
                        "LIMITER_HTTP_SERVICE_HOST=10.0.0.1",
                        "LIMITER_LIMITS_SERVICE_HOST=10.0.0.1",
                        "LIMITER_LIMITS_PORT=tcp://10.0.0.1:80")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(ConfiguredRules.class)
                                    .beforeSecurity()
                                    .rules())
                            .isEmpty();
                });
    }

    @Test
    void a_variable_below_a_rule_that_has_nothing_else_is_for_something_else() {
        String variable = "LIMITER_HTTP_SERVER_PATHS=/srv";
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            Contexts.withVariables(Contexts.web(), variable)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The environment variable LIMITER_HTTP_SERVER_PATHS is not a property");
        }
        Contexts.withVariables(Contexts.web(), variable)
                .withPropertyValues("limiter.http.server.path=/a", "limiter.http.server.limits.one.rate=5")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("limiter.http.server.paths is not a property: did you mean"
                                + " limiter.http.server.path?"));
    }

    @ParameterizedTest
    @CsvSource({
        "limiter.console.enabled, limiter-console",
        "limiter.gateway.replace-redis-rate-limiter, limiter-spring-cloud",
        "limiter.clients.maps.limits.day.limit, limiter-spring-client"
    })
    void properties_of_a_module_that_is_missing_are_logged(String property, String module) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("shared", Map.of(property, "1")));
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            new PropertyNames(List.of()).check(environment);
            assertThat(log.all())
                    .containsExactly(
                            "WARN " + property + " is not a property of the limiter, and has no effect: it belongs"
                                    + " to the module " + module + ", which is not on the class path");
        }
    }

    @ParameterizedTest
    @CsvSource({"1.0/60, 1.0, 60s", "100/1m, 100, 1m", "5 / s, 5, 1s"})
    void a_rate_that_is_a_fraction_fails_at_startup_and_is_explained(String value, String rate, String per) {
        for (String property : new String[] {"limiter.limits.sms.rate", "limiter.http.api.limits.a.plans.pro.rate"}) {
            Contexts.web()
                    .withConfiguration(Contexts.mvc())
                    .withPropertyValues("limiter.http.api.path=/a", property + "=" + value)
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasStackTraceContaining(property + " must be a number, because a property cannot"
                                    + " contain arithmetic, was '" + value + "': set rate=" + rate + " and per="
                                    + per));
        }
    }
}
