package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.limiter.LimiterFactory;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.check.InternalLimitExceededException;
import io.limiter.spring.settings.RefreshableSettings;
import io.limiter.testing.TestRedis;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/** What the module needs of the starter, and what it brings for it. */
class ClientModuleTest {

    private static final URI CALL = URI.create("https://api.example.com/");
    private static final String RATE = "limiter.clients.maps.limits.second.rate";

    @Test
    void a_factory_of_the_applications_own_is_enough() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LimiterClientAutoConfiguration.class))
                .withBean(LimiterFactory.class, LocalLimiterFactory::unlimited)
                .withPropertyValues(RATE + "=5")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ClientLimitInterceptor.class)
                        .hasSingleBean(ClientLimitFilter.class));
    }

    private static ApplicationContextRunner changing(Map<String, Object> settings) {
        return Contexts.local()
                .withConfiguration(Contexts.clients())
                .withInitializer(context -> ((ConfigurableEnvironment) context.getEnvironment())
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", settings)));
    }

    @Test
    void changed_settings_apply_on_a_refresh_and_invalid_ones_change_nothing() {
        Map<String, Object> settings = new HashMap<>(Map.of(RATE, "5"));
        changing(settings).run(context -> {
            ClientLimits limits = context.getBean(ClientLimits.class);
            RefreshableSettings refreshed = context.getBean("limiterClientLimits", RefreshableSettings.class);
            assertThat(refreshed.refresh()).isFalse();
            settings.put("limiter.clients.maps.hosts", "api.example.com");
            assertThat(refreshed.refresh()).isTrue();
            assertThat(limits.find(CALL)).isNotNull();
            settings.put(RATE, "0");
            assertThat(catchThrowable(refreshed::refresh)).hasMessageContaining(RATE + " must be between");
            assertThat(limits.find(CALL)).isNotNull();
        });
    }

    @Test
    void the_first_hosts_apply_to_clients_that_were_built_before() {
        Map<String, Object> settings = new HashMap<>();
        changing(settings).run(context -> {
            RestClient restClient = context.getBean(RestClient.Builder.class).build();
            WebClient webClient = context.getBean(WebClient.Builder.class).build();
            RestTemplate restTemplate =
                    ReflectionTestUtils.invokeMethod(context.getBean("restTemplateBuilder"), "build");
            settings.put("limiter.clients.maps.hosts", "localhost");
            settings.put("limiter.clients.maps.timeout", "0");
            settings.put("limiter.clients.maps.limits.day.limit", "1");
            settings.put("limiter.clients.maps.limits.day.period", "1d");
            ClientLimits limits = context.getBean(ClientLimits.class);
            assertThat(limits.refresh()).isTrue();
            URI closed = URI.create("http://localhost:" + TestRedis.closedPort() + "/");
            limits.find(closed).acquire();
            List<ThrowingCallable> calls = List.of(
                    () -> restClient.get().uri(closed).retrieve().toBodilessEntity(),
                    () -> restTemplate.getForEntity(closed, String.class),
                    () -> webClient
                            .get()
                            .uri(closed)
                            .retrieve()
                            .toBodilessEntity()
                            .block());
            assertThat(calls)
                    .allSatisfy(call ->
                            assertThat(catchThrowable(call)).isInstanceOf(InternalLimitExceededException.class));
        });
    }

    @Test
    void a_client_that_can_have_no_limit_streams_its_requests() {
        Contexts.local()
                .withConfiguration(Contexts.clients())
                .withClassLoader(new FilteredClassLoader(EnvironmentChangeEvent.class))
                .run(context -> {
                    AtomicInteger created = new AtomicInteger();
                    AtomicInteger writtenAfter = new AtomicInteger();
                    RestClient client = context.getBean(RestClient.Builder.class)
                            .requestFactory((uri, method) -> {
                                created.incrementAndGet();
                                MockClientHttpRequest sent = new MockClientHttpRequest(method, uri);
                                sent.setResponse(new MockClientHttpResponse(new byte[0], HttpStatus.OK));
                                return sent;
                            })
                            .build();
                    client.post()
                            .uri(CALL)
                            .body(body -> writtenAfter.set(created.get()))
                            .exchange((request, response) -> 0);
                    assertThat(writtenAfter).hasValue(1);
                });
    }

    @Test
    void a_client_that_clients_are_built_with_cannot_be_removed_and_others_can() {
        Map<String, Object> settings = new HashMap<>(
                Map.of(RATE, "5", RATE.replace("maps", "other"), "5", RATE.replace("maps", "feign"), "5"));
        changing(settings).run(context -> {
            ClientLimits limits = context.getBean(ClientLimits.class);
            context.getBean(ClientLimitInterceptor.class).named("maps");
            assertThat(limits.byName("feign")).isNotNull();
            settings.remove(RATE.replace("maps", "other"));
            settings.remove(RATE.replace("maps", "feign"));
            assertThat(limits.refresh()).isTrue();
            assertThat(limits.byName("feign")).isNull();
            settings.clear();
            assertThat(catchThrowable(limits::refresh))
                    .hasMessage(
                            "limiter.clients must have [maps], because clients are built with these names, and had []:"
                                    + " set enforce=false of one that must not reject calls any more");
            assertThat(limits.named("maps").apply(CALL)).isNotNull();
        });
    }

    @Test
    void a_pause_goes_on_when_the_limits_of_its_client_change() {
        Map<String, Object> settings =
                new HashMap<>(Map.of(RATE, "5", "limiter.clients.maps.hosts", "api.example.com"));
        changing(settings).run(context -> {
            ClientLimits limits = context.getBean(ClientLimits.class);
            HttpHeaders headers = new HttpHeaders();
            headers.set("Retry-After", "30");
            limits.find(CALL).answered(429, headers);
            settings.put("limiter.clients.maps.limits.day.limit", "5");
            settings.put("limiter.clients.maps.limits.day.period", "1d");
            assertThat(limits.refresh()).isTrue();
            assertThat(catchThrowable(() -> limits.find(CALL).acquire()))
                    .isInstanceOf(InternalLimitExceededException.class);
        });
    }

    @Test
    void a_native_image_keeps_its_settings_and_customizers() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(ClientHints.class::isInstance)
                .forEach(each -> each.registerHints(hints, getClass().getClassLoader()));
        assertThat(RuntimeHintsPredicates.reflection().onType(ClientProperties.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(ClientSettings.class))
                .accepts(hints);
        assertThat(hints.proxies().jdkProxyHints()).hasSize(8);
    }
}
