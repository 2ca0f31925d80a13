package io.limiter.test.redis;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.AnnotationConfigContextLoader;

/** The application has settings for the Redis of its production. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        classes = EmbeddedRedisTest.Application.class,
        properties = {"spring.data.redis.ssl.enabled=true", "spring.data.redis.ssl.bundle=production"})
@EmbeddedRedis
class EmbeddedRedisSettingsTest {

    @Test
    void an_application_with_tls_decides_in_it(@Autowired LimiterFactory limiters) {
        assertThat(limiters.build(
                        "without-tls", TokenBucket.per(2, Duration.ofDays(1)).withCapacity(2)))
                .on("ann")
                .grants(2)
                .thenRejects();
    }

    @ParameterizedTest
    @CsvSource({
        "spring.data.redis.cluster.nodes, spring.data.redis.cluster.nodes",
        "spring.data.redis.cluster.nodes[0], spring.data.redis.cluster.nodes",
        "SPRING_DATA_REDIS_CLUSTER_NODES, spring.data.redis.cluster.nodes",
        "spring.data.redis.sentinel.master, spring.data.redis.sentinel.master",
        "spring.data.redis.sentinel.nodes[0], spring.data.redis.sentinel.nodes",
        "spring.data.redis.masterreplica.nodes, spring.data.redis.masterreplica.nodes"
    })
    void an_application_that_would_not_use_it_does_not_start(String setting, String property) {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new SystemEnvironmentPropertySource(
                            "test-systemEnvironment", Map.of(setting, "production:6379")));
            ConfigurationPropertySources.attach(context.getEnvironment());
            ContextCustomizer customizer = Objects.requireNonNull(new EmbeddedRedisCustomizerFactory()
                    .createContextCustomizer(EmbeddedRedisSettingsTest.class, List.of()));
            MergedContextConfiguration test = new MergedContextConfiguration(
                    EmbeddedRedisSettingsTest.class,
                    new String[0],
                    new Class<?>[0],
                    new String[0],
                    new AnnotationConfigContextLoader());
            assertThatThrownBy(() -> customizer.customizeContext(context, test))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "@EmbeddedRedis has no effect if " + property + " is set, because Spring Boot prefers it to"
                                    + " spring.data.redis.url: set it in a profile that is not active in this test");
        }
    }
}
