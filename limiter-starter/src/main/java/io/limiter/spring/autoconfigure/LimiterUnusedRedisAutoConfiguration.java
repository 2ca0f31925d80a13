package io.limiter.spring.autoconfigure;

import io.limiter.spring.internal.condition.SettingValue;
import java.util.List;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Undoes what Spring Boot does only because the starter brings a Redis client. Where no limit is in Redis and no server is configured,
 * its health contributor {@code redis} is removed, because an application without Redis would be {@code DOWN} otherwise. Where Redis
 * is not configured at all, it is not chosen as the cache.
 */
@AutoConfiguration(
        // By name: Spring Boot 4 has moved them, and neither Actuator nor caches may be there.
        afterName = {
            "org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration",
            "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.data.redis.RedisHealthContributorAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.data.redis.RedisReactiveHealthContributorAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.health.DataRedisHealthContributorAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.health.DataRedisReactiveHealthContributorAutoConfiguration"
        })
@Import(LimiterUnusedRedisAutoConfiguration.Registrar.class)
public class LimiterUnusedRedisAutoConfiguration {

    static final class Registrar implements ImportBeanDefinitionRegistrar {

        private static final String CONTRIBUTOR = "redisHealthContributor";
        private static final String CONNECTIONS = "redisConnectionFactory";
        /** Spring Boot creates them from the settings, Docker Compose support otherwise. */
        private static final String DETAILS = "redisConnectionDetails";

        private static final String SPRING_BOOT = "org.springframework.boot.";
        private static final ConfigurationPropertyName REDIS = ConfigurationPropertyName.of("spring.data.redis");
        private static final ConfigurationPropertyName REPOSITORIES = REDIS.append("repositories");
        /** Settings that name a server; a timeout, for example, does not. */
        private static final List<String> SERVER =
                List.of("url", "host", "port", "sentinel", "cluster", "masterreplica");

        private final Environment environment;

        Registrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            boolean byDefault = isSpringBoots(registry, CONNECTIONS) && isSpringBoots(registry, DETAILS);
            if (isSpringBoots(registry, CONTRIBUTOR)
                    && byDefault
                    && !isUsed()
                    && !environment.containsProperty("management.health.redis.enabled")
                    && SERVER.stream().noneMatch(name -> isSet(REDIS.append(name)))) {
                registry.removeBeanDefinition(CONTRIBUTOR);
            }
            if (!isSet(ConfigurationPropertyName.of("spring.cache.type"))) {
                ChosenCache.check(registry, byDefault && !isConfigured());
            }
        }

        /** Whether limits are in Redis. */
        private boolean isUsed() {
            return SettingValue.isTrue(environment, "limiter.enabled", true)
                    && SettingValue.read(
                                    environment,
                                    "limiter.type",
                                    LimiterProperties.Type.class,
                                    LimiterProperties.Type.REDIS)
                            == LimiterProperties.Type.REDIS;
        }

        private static boolean isSpringBoots(BeanDefinitionRegistry registry, String name) {
            if (!registry.containsBeanDefinition(name)) {
                return false;
            }
            BeanDefinition definition = registry.getBeanDefinition(name);
            String maker = definition.getFactoryBeanName();
            return maker != null && maker.startsWith(SPRING_BOOT);
        }

        /** Whether the application has settings for Redis, other than that it has no repositories there. */
        private boolean isConfigured() {
            for (var source : ConfigurationPropertySources.get(environment)) {
                boolean configures = source instanceof IterableConfigurationPropertySource all
                        ? all.stream().anyMatch(name -> REDIS.isAncestorOf(name) && !REPOSITORIES.isAncestorOf(name))
                        : source.containsDescendantOf(REDIS) == ConfigurationPropertyState.PRESENT;
                if (configures) {
                    return true;
                }
            }
            return false;
        }

        /** Whether the property, or one below it, is set. */
        private boolean isSet(ConfigurationPropertyName name) {
            for (var source : ConfigurationPropertySources.get(environment)) {
                if (source.getConfigurationProperty(name) != null
                        || source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                    return true;
                }
            }
            return false;
        }
    }
}
