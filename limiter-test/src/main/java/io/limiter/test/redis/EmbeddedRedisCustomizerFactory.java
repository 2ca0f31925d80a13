package io.limiter.test.redis;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Names the embedded Redis to application contexts of tests with {@link EmbeddedRedis}. */
final class EmbeddedRedisCustomizerFactory implements ContextCustomizerFactory {

    /** Spring Boot prefers each of them to the URL, and a test cannot remove a property that the application has set. */
    private static final List<String> PREFERRED = List.of(
            "spring.data.redis.cluster.nodes",
            "spring.data.redis.sentinel.master",
            "spring.data.redis.sentinel.nodes",
            // Only Spring Boot 4 knows it.
            "spring.data.redis.masterreplica.nodes");

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> test, List<ContextConfigurationAttributes> configuration) {
        return TestContextAnnotationUtils.hasAnnotation(test, EmbeddedRedis.class) ? new Customizer() : null;
    }

    private static void requireUrlIsUsed(Environment environment) {
        for (String property : PREFERRED) {
            if (environment.containsProperty(property) || environment.containsProperty(property + "[0]")) {
                throw new IllegalStateException(
                        "@EmbeddedRedis has no effect if " + property + " is set, because Spring Boot"
                                + " prefers it to spring.data.redis.url: set it in a profile that is not active in this test");
            }
        }
    }

    /** Equal to each other, so that tests share contexts. */
    private record Customizer() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            requireUrlIsUsed(context.getEnvironment());
            MutablePropertySources sources = context.getEnvironment().getPropertySources();
            String url = EmbeddedServer.shared().address().uri();
            sources.addFirst(new MapPropertySource(
                    "limiterEmbeddedRedis",
                    // The scheme of the URL turns TLS on, but not off. Without TLS, its bundle is ignored.
                    Map.of("spring.data.redis.url", url, "spring.data.redis.ssl.enabled", "false")));
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
