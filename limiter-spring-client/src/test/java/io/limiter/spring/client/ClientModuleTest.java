package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.limiter.LimiterFactory;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.settings.RefreshableSettings;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What the module needs of the starter, and what it brings for it. */
class ClientModuleTest {

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
    void changed_settings_apply_on_a_refresh_and_invalid_ones_change_nothing() {
        Map<String, Object> settings = new HashMap<>(Map.of(RATE, "5"));
        Contexts.local()
                .withInitializer(context -> ((ConfigurableEnvironment) context.getEnvironment())
                        .getPropertySources()
                        .addFirst(new MapPropertySource("changing", settings)))
                .run(context -> {
                    ClientLimits limits = context.getBean(ClientLimits.class);
                    RefreshableSettings refreshed = context.getBean("limiterClientLimits", RefreshableSettings.class);
                    assertThat(refreshed.refresh()).isFalse();
                    settings.put("limiter.clients.maps.hosts", "api.example.com");
                    assertThat(refreshed.refresh()).isTrue();
                    assertThat(limits.find(URI.create("https://api.example.com/")))
                            .isNotNull();
                    settings.put(RATE, "0");
                    assertThat(catchThrowable(refreshed::refresh)).hasMessageContaining(RATE + " must be between");
                    assertThat(limits.find(URI.create("https://api.example.com/")))
                            .isNotNull();
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
        assertThat(hints.proxies().jdkProxyHints()).hasSize(6);
    }
}
