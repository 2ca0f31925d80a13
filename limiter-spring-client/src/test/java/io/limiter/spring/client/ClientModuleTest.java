package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.spring.Contexts;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;

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

    @Test
    void a_client_that_can_have_no_limit_streams_its_requests() {
        Contexts.local().withConfiguration(Contexts.clients()).run(context -> {
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
