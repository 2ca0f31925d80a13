package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.live.LiveLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** When the console is there, and when the application does not start. */
class ConsoleStartTest {

    private static final String[] ENABLED = {"limiter.console.enabled=true"};

    private final WebApplicationContextRunner servlet = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LimiterConsoleAutoConfiguration.class))
            .withBean(FakeLiveLimits.class);
    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LimiterConsoleAutoConfiguration.class))
            .withBean(FakeLiveLimits.class);

    @EnableWebSecurity
    static class Secured {}

    @EnableWebFluxSecurity
    static class ReactiveSecured {

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.build();
        }
    }

    @Test
    void it_is_off_by_default() {
        servlet.run(context -> assertThat(context).doesNotHaveBean(Console.class));
        reactive.run(context -> assertThat(context).doesNotHaveBean(Console.class));
    }

    @Test
    void it_does_not_start_unsecured() {
        servlet.withPropertyValues(ENABLED).run(context -> assertUnsecured(context.getStartupFailure()));
        reactive.withPropertyValues(ENABLED).run(context -> assertUnsecured(context.getStartupFailure()));
    }

    private static void assertUnsecured(Throwable failure) {
        FailureAnalysis analysis = new ConsoleFailureAnalyzer().analyze(failure);
        assertThat(analysis.getDescription()).contains("/limiter", "no Spring Security filter chain");
        assertThat(analysis.getAction())
                .contains(
                        "spring-boot-starter-security",
                        "limiter.console.write-authorities",
                        "limiter.console.allow-unsecured=true",
                        "limiter.console.enabled=false");
    }

    @Test
    void it_starts_where_spring_security_is() {
        servlet.withPropertyValues(ENABLED)
                .withUserConfiguration(Secured.class)
                .run(context -> assertThat(context).hasSingleBean(ServletConsole.class));
        reactive.withPropertyValues(ENABLED)
                .withUserConfiguration(ReactiveSecured.class)
                .run(context -> assertThat(context).hasSingleBean(ReactiveConsole.class));
    }

    @Test
    void it_starts_unsecured_if_that_is_allowed() {
        servlet.withPropertyValues(ENABLED)
                .withPropertyValues("limiter.console.allow-unsecured=true")
                .run(context -> assertThat(context).hasSingleBean(ServletConsole.class));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void it_does_not_start_without_live_limits(boolean bean) {
        WebApplicationContextRunner runner = new WebApplicationContextRunner();
        (bean ? runner.withBean(LiveLimits.class, () -> LiveLimits.NONE) : runner)
                .withConfiguration(AutoConfigurations.of(LimiterConsoleAutoConfiguration.class))
                .withPropertyValues("limiter.console.enabled=true", "limiter.console.allow-unsecured=true")
                .run(context -> {
                    FailureAnalysis analysis = new ConsoleFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("no live limits");
                    assertThat(analysis.getAction()).contains("limiter.live.enabled", "limiter.type=local");
                });
    }

    @Test
    void a_bad_path_is_an_error_that_names_the_range() {
        servlet.withPropertyValues(ENABLED)
                .withPropertyValues("limiter.console.path=limiter/")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("must begin with a slash")
                        .hasMessageContaining("'limiter/'"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "key", "write"})
    void callers_without_a_login_have_no_authority(String right) {
        servlet.withPropertyValues(ENABLED)
                .withPropertyValues(
                        "limiter.console.allow-unsecured=true",
                        "limiter.console." + right + "-authorities=ROLE_VIEWER,ROLE_ANONYMOUS")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("must not name ROLE_ANONYMOUS")
                        .hasMessageContaining("limiter.console.allow-unsecured=true"));
    }

    @Test
    void it_is_off_with_the_limiter() {
        servlet.withPropertyValues(ENABLED)
                .withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Console.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "on", "1", "true "})
    void it_is_on_however_that_is_written(String value) {
        servlet.withPropertyValues("limiter.console.enabled=" + value, "limiter.console.allow-unsecured=true")
                .run(context -> assertThat(context).hasSingleBean(ServletConsole.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"please", ""})
    void a_value_that_is_neither_on_nor_off_fails_at_startup(String value) {
        servlet.withPropertyValues("limiter.console.enabled=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("limiter.console.enabled with value '" + value + "'")
                        .hasMessageContaining("true or false"));
    }
}
