package io.limiter.spring.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What a person sees when the application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalyzersTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(LimiterAutoConfiguration.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class BadLimit {

        @Bean
        Limited limited() {
            return new Limited();
        }
    }

    static class Limited {

        @RateLimit(rate = 0)
        public void call() {}
    }

    @Test
    void a_missing_connection_to_redis_is_described_with_remedies(CapturedOutput output) {
        assertThatThrownBy(() -> start(new Class<?>[] {Application.class})).isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("there is no RedisConnectionFactory bean")
                .contains("Configure Redis with spring.data.redis.*")
                .contains("Set limiter.type=local");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WebApplication {}

    @Configuration(proxyBeanMethods = false)
    static class Limits {

        @Bean
        Api api() {
            return new Api();
        }
    }

    static class Api {

        @CountLimit(name = "export", limit = 5, per = "1m")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class LimitOfFinalClass {

        @Bean
        FinalApi api() {
            return new FinalApi();
        }
    }

    static final class FinalApi {

        @CountLimit(limit = 5, per = "1m")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoConnections {

        @Bean
        RedisConnectionFactory orders() {
            return mock(RedisConnectionFactory.class);
        }

        @Bean
        RedisConnectionFactory sessions() {
            return mock(RedisConnectionFactory.class);
        }
    }

    static Stream<Arguments> badSettings() {
        return Stream.of(
                Arguments.of(
                        "limiter.limits.sms.rate=-1",
                        "limiter.limits.sms.rate must be between 1.1574074074074074E-8 and 1.0E9, was -1.0"),
                Arguments.of("limiter.on-failre=deny", "did you mean limiter.on-failure?"),
                Arguments.of(
                        "limiter.limits[com.acme.Sms.send()].limit=0",
                        "limiter.limits[com.acme.Sms.send()].limit must be between 1 and 9007199254740991, was 0"),
                Arguments.of(
                        "limiter.limits.sms.rat=1",
                        "limiter.limits.sms.rat is not a property: did you mean limiter.limits.sms.rate?"),
                Arguments.of(
                        "limiter.limits.sms.rate=1.0/60",
                        "limiter.limits.sms.rate must be a number, because a property cannot contain arithmetic, was '1.0/60': set"
                                + " rate=1.0 and per=60s"),
                Arguments.of(
                        "limiter.limits.sms.on-failure=local(2)",
                        "limiter.limits.sms.on-failure must be local, owner, deny, allow or throw, or local with a share of more than 0"),
                Arguments.of(
                        "limiter.limits.export.rate=1",
                        "@CountLimit for " + Api.class.getName()
                                + ".call(): with limiter.limits.export.*: rate has no effect on kind fixed-window"),
                Arguments.of(
                        "limiter.on-failure=local(0)",
                        "limiter.on-failure must be local, owner, deny, allow or throw, or local"),
                Arguments.of(
                        "limiter.key.trusted-proxies=10.0.0.0/33",
                        "limiter.key.trusted-proxies: '10.0.0.0/33' must have a prefix length between 0 and 32"),
                Arguments.of("limiter.http.api.patth=/x", "did you mean limiter.http.api.path?"),
                Arguments.of("limiter.http.api.limits.one.brust=1", "did you mean limiter.http.api.limits.one.burst?"),
                Arguments.of(
                        "limiter.http.api.path=api", "limiter.http.api.limits must have at least one limit, such as"),
                Arguments.of("limiter.http.api.order=0", "limiter.http.api.path must be set, such as"),
                Arguments.of(
                        "limiter.http[0].path=/x",
                        "limiter.http[0] is written as an entry of a list, but limiter.http has names: write a name that is"
                                + " not a number instead, such as limiter.http.api.path=/api/**"));
    }

    @ParameterizedTest
    @MethodSource("badSettings")
    void an_invalid_property_is_described_with_its_origin_and_the_allowed_values(String setting, String problem) {
        AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
        Contexts.web()
                .withUserConfiguration(Limits.class)
                .withInitializer(context -> {
                    context.getEnvironment()
                            .getPropertySources()
                            .addFirst(new SimpleCommandLinePropertySource("--" + setting));
                    ConfigurationPropertySources.attach(context.getEnvironment());
                    started.set(context);
                })
                .run(context -> {
                    FailureAnalysis analysis =
                            analysis(requireNonNull(started.get()), requireNonNull(context.getStartupFailure()));
                    assertDescribes(analysis.getDescription() + analysis.getAction(), setting, problem);
                });
    }

    /** The first that an analyzer gives, in the order of Spring Boot. */
    private static FailureAnalysis analysis(ConfigurableApplicationContext context, Throwable failure) {
        ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                .and(Environment.class, context.getEnvironment());
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, (type, name, unavailable) -> {})
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError(failure));
    }

    @Test
    void a_whole_application_shows_an_invalid_property_and_no_stack(CapturedOutput output) {
        String setting = "limiter.on-failre=deny";
        assertThatThrownBy(() -> startWeb(new Class<?>[] {WebApplication.class, Limits.class}, "--" + setting))
                .isNotNull();
        assertThat(output).contains("APPLICATION FAILED TO START");
        assertDescribes(output.toString(), setting, "did you mean limiter.on-failure?");
    }

    private static void assertDescribes(String text, String setting, String problem) {
        String property = setting.substring(0, setting.indexOf('='));
        assertThat(text)
                .contains(problem)
                .contains("Property: " + property)
                .contains("Value: \"" + setting.substring(setting.indexOf('=') + 1) + "\"")
                .contains("Origin: \"" + property + "\" from property source \"commandLineArgs\"")
                .doesNotContain("Bindable")
                .doesNotContain("\tat ");
    }

    @Test
    void a_switch_that_is_neither_on_nor_off_is_described(CapturedOutput output) {
        assertThatThrownBy(() -> start(new Class<?>[] {Application.class}, "--limiter.enabled=ture"))
                .isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Invalid value 'ture' for configuration property 'limiter.enabled'")
                .contains("\"limiter.enabled\" from property source \"commandLineArgs\"")
                .contains("It must be true or false (on, yes, 1 and off, no, 0 are allowed, too)")
                .doesNotContain("\tat ");
    }

    @Test
    void a_final_class_is_named_with_its_limit(CapturedOutput output) {
        assertThatThrownBy(() ->
                        start(new Class<?>[] {Application.class, LimitOfFinalClass.class}, "--limiter.type=local"))
                .isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("limit on " + FinalApi.class.getName() + ".call(): the class is final")
                .doesNotContain("CGLIB")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"script", "lock"})
    void several_connections_are_named_with_remedies(String engine, CapturedOutput output) {
        assertThatThrownBy(() ->
                        start(new Class<?>[] {Application.class, TwoConnections.class}, "--limiter.engine=" + engine))
                .isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "several RedisConnectionFactory beans that the limiter could use, and it uses one: orders, sessions")
                .contains("@io.limiter.spring.annotation.LimiterRedisConnectionFactory")
                .contains("@Primary")
                .doesNotContain("\tat ");
    }

    @Test
    void an_invalid_annotation_is_named(CapturedOutput output) {
        assertThatThrownBy(() -> start(new Class<?>[] {Application.class, BadLimit.class}, "--limiter.type=local"))
                .isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("@RateLimit for " + Limited.class.getName() + ".call(): rate must be more than 0, was 0")
                .contains("Correct the annotation");
    }

    private static void startWeb(Class<?>[] sources, String... arguments) {
        String[] all = Stream.concat(Arrays.stream(arguments), Stream.of("--limiter.type=local", "--server.port=0"))
                .toArray(String[]::new);
        start(WebApplicationType.SERVLET, sources, all);
    }

    private static void start(Class<?>[] sources, String... arguments) {
        start(WebApplicationType.NONE, sources, arguments);
    }

    private static void start(WebApplicationType type, Class<?>[] sources, String... arguments) {
        SpringApplication application = new SpringApplication(sources);
        application.setWebApplicationType(type);
        application.setBannerMode(Banner.Mode.OFF);
        application.run(arguments).close();
    }
}
