package io.limiter.test.spring;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Keeps application contexts of tests with {@link AutoConfigureLimiter} from Redis. */
final class LimiterCustomizerFactory implements ContextCustomizerFactory {

    static boolean applies(Class<?> test) {
        return TestContextAnnotationUtils.hasAnnotation(test, AutoConfigureLimiter.class);
    }

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> test, List<ContextConfigurationAttributes> configuration) {
        return applies(test) ? new Customizer() : null;
    }

    /** Equal to each other, so that tests share contexts. */
    private record Customizer() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource(
                            "limiterTest", Map.of("limiter.enabled", "true", "limiter.type", "local")));
        }
    }
}
