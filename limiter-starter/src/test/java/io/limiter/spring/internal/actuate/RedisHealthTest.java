package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.defined;
import static io.limiter.spring.internal.actuate.Operated.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/** Whether the health of an application whose limits are in process depends on a Redis. */
class RedisHealthTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void without_redis_limits_in_process_leave_the_application_up() throws Exception {
        try (ConfigurableApplicationContext alone = new SpringApplication(Application.class)
                .run(
                        "--limiter.type=local",
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=health",
                        "--management.endpoint.health.show-details=always")) {
            HttpResponse<String> health = get(alone, "health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).contains("\"limiter\":{\"status\":\"UP\"").doesNotContain("\"redis\"");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--spring.data.redis.port=1",
                "--management.health.redis.enabled=true",
                "--spring.data.redis.url=redis://localhost:1",
                "--spring.data.redis.masterreplica.nodes=localhost:1",
                "--own.redis=true"
            })
    void a_configured_redis_keeps_its_health(String wanted) {
        try (ConfigurableApplicationContext context =
                defined(new SpringApplication(Application.class, OwnRedis.class), "--limiter.type=local", wanted)) {
            assertThat(context.containsBean("redisHealthContributor")).isTrue();
        }
    }

    /** As those of Docker Compose and Testcontainers. */
    @Test
    void a_redis_with_a_bean_of_connection_details_keeps_its_health() {
        SpringApplication application = new SpringApplication(Application.class);
        application.addInitializers(RedisHealthTest::addConnectionDetails);
        try (ConfigurableApplicationContext context = defined(application, "--limiter.type=local")) {
            assertThat(context.containsBean("redisHealthContributor")).isTrue();
        }
    }

    private static <T> void addConnectionDetails(ConfigurableApplicationContext context) {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) connectionDetails();
        ((GenericApplicationContext) context)
                .registerBean(
                        "details",
                        type,
                        () -> mock(
                                type,
                                call -> call.getMethod().getName().equals("getStandalone")
                                        ? call.getMethod()
                                                .getReturnType()
                                                .getMethod("of", String.class, int.class)
                                                .invoke(null, "localhost", 1)
                                        : null));
    }

    /** Spring Boot 4 has renamed them. */
    private static Class<?> connectionDetails() {
        String before = "org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails";
        return ClassUtils.resolveClassName(
                ClassUtils.isPresent(before, null)
                        ? before
                        : "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
                null);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("own.redis")
    static class OwnRedis {

        @Bean
        RedisConnectionFactory redisConnectionFactory() {
            return mock(RedisConnectionFactory.class);
        }
    }
}
