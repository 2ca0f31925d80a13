package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.UnknownProperties;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What becomes of properties and environment variables that are no properties of the limiter. */
class PropertyNamesTest {

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
        Contexts.withVariables(Contexts.local(), variable + "=1")
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
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            Contexts.withVariables(Contexts.web().withConfiguration(Contexts.mvc()), variable)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(HttpRules.class).first().limits())
                                .isEmpty();
                    });
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void an_environment_variable_among_those_of_the_limiter_is_logged() {
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            Contexts.withVariables(Contexts.local(), "LIMITER_FAILURE_BUDGET=1s")
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
        try (LogLines log = new LogLines(UnknownProperties.class)) {
            Contexts.withVariables(Contexts.web(), variable)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The environment variable of limiter.http.server.paths is no property");
        }
        Contexts.withVariables(Contexts.web(), variable)
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
        try (LogLines log = new LogLines(UnknownProperties.class)) {
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
