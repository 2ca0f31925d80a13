package io.limiter.spring.autoconfigure;

import io.limiter.spring.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.condition.ConditionalOnSetting;
import java.util.List;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Removes Spring Boot's health contributor {@code redis} if limits are in this process and no server is configured. The starter
 * brings the Redis client, so an application without Redis would be {@code DOWN} otherwise.
 */
@AutoConfiguration(
        // By name: Spring Boot 4 has moved them, and Actuator may not be there.
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.data.redis.RedisHealthContributorAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.data.redis.RedisReactiveHealthContributorAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.health.DataRedisReactiveHealthContributorAutoConfiguration"
        })
@ConditionalOnEnabledLimiter
@ConditionalOnSetting(
        name = "limiter.type",
        type = LimiterProperties.Type.class,
        havingValue = "local",
        otherwise = "redis")
@Import(LimiterUnusedRedisAutoConfiguration.Registrar.class)
public class LimiterUnusedRedisAutoConfiguration {

    static final class Registrar implements ImportBeanDefinitionRegistrar {

        private static final String CONTRIBUTOR = "redisHealthContributor";
        private static final String CONNECTIONS = "redisConnectionFactory";
        /** Spring Boot creates them from the settings, Docker Compose support otherwise. */
        private static final String DETAILS = "redisConnectionDetails";

        private static final String SPRING_BOOT = "org.springframework.boot.";
        private static final ConfigurationPropertyName REDIS = ConfigurationPropertyName.of("spring.data.redis");
        /** Settings that name a server; a timeout, for example, does not. */
        private static final List<String> SERVER =
                List.of("url", "host", "port", "sentinel", "cluster", "masterreplica");

        private final Environment environment;

        Registrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            if (isSpringBoots(registry, CONTRIBUTOR)
                    && isSpringBoots(registry, CONNECTIONS)
                    && isSpringBoots(registry, DETAILS)
                    && !environment.containsProperty("management.health.redis.enabled")
                    && !isConfigured()) {
                registry.removeBeanDefinition(CONTRIBUTOR);
            }
        }

        private static boolean isSpringBoots(BeanDefinitionRegistry registry, String name) {
            if (!registry.containsBeanDefinition(name)) {
                return false;
            }
            BeanDefinition definition = registry.getBeanDefinition(name);
            String maker = definition.getFactoryBeanName();
            return maker != null && maker.startsWith(SPRING_BOOT);
        }

        private boolean isConfigured() {
            for (var source : ConfigurationPropertySources.get(environment)) {
                for (String name : SERVER) {
                    ConfigurationPropertyName server = REDIS.append(name);
                    if (source.getConfigurationProperty(server) != null
                            || source.containsDescendantOf(server) == ConfigurationPropertyState.PRESENT) {
                        return true;
                    }
                }
            }
            return false;
        }
    }
}
