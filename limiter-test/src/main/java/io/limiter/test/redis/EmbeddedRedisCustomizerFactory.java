package io.limiter.test.redis;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Names the embedded Redis to application contexts of tests with {@link EmbeddedRedis}. */
final class EmbeddedRedisCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> test, List<ContextConfigurationAttributes> configuration) {
        return TestContextAnnotationUtils.hasAnnotation(test, EmbeddedRedis.class) ? new Customizer() : null;
    }

    /** Equal to each other, so that tests share contexts. */
    private record Customizer() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            MutablePropertySources sources = context.getEnvironment().getPropertySources();
            String url = EmbeddedServer.shared().address().uri();
            sources.addFirst(new MapPropertySource("limiterEmbeddedRedis", Map.of("spring.data.redis.url", url)));
            // A rejection that is cached would outlast the state it stands for.
            sources.addLast(new MapPropertySource(
                    "limiterEmbeddedRedisDefaults",
                    Map.of(
                            "limiter.rejection-cache.size", "0",
                            "limiter.on-failure", "throw",
                            "limiter.failure.decision-timeout", "10s")));
        }
    }
}
