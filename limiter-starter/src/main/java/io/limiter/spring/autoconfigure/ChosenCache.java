package io.limiter.spring.autoconfigure;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * The cache that Spring Boot has chosen by what is on the class path. Redis comes before Cache2k, Caffeine and a map, so the client that
 * the starter brings would put the entries of an application into a Redis that is there for its limits, or that is not there at all.
 * Kinds that come before Redis are chosen as ever.
 */
final class ChosenCache {

    private static final Logger log = LoggerFactory.getLogger(ChosenCache.class);

    private static final String MANAGER = "cacheManager";
    private static final String OF_REDIS = ".RedisCacheConfiguration";

    /** What Spring Boot would choose without a Redis client, in its order. */
    private static final List<Kind> NEXT = List.of(
            new Kind("Cache2k", "org.cache2k.Cache2kBuilder", "org.cache2k.extra.spring.SpringCache2kCacheManager"),
            new Kind(
                    "Caffeine",
                    "com.github.benmanes.caffeine.cache.Caffeine",
                    "org.springframework.cache.caffeine.CaffeineCacheManager"),
            new Kind("Simple"));

    private ChosenCache() {}

    private record Kind(String name, String... classes) {

        boolean isPresent(ClassLoader loader) {
            for (String needed : classes) {
                if (!ClassUtils.isPresent(needed, loader)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Replaces Redis as the cache, or says that it is the cache.
     *
     * @param unconfigured whether the application has configured no Redis
     */
    static void check(BeanDefinitionRegistry registry, boolean unconfigured) {
        String chosen = registry.containsBeanDefinition(MANAGER)
                ? registry.getBeanDefinition(MANAGER).getFactoryBeanName()
                : null;
        if (chosen == null || !chosen.startsWith("org.springframework.boot.") || !chosen.endsWith(OF_REDIS)) {
            return;
        }
        if (!unconfigured) {
            log.warn(
                    "Spring Boot has chosen Redis as the cache of this application, because a Redis client is on the class path, and"
                            + " the limiter brings one: set spring.cache.type to redis if that is intended, or else to caffeine, simple"
                            + " or another type");
            return;
        }
        ClassLoader loader = ChosenCache.class.getClassLoader();
        for (Kind kind : NEXT) {
            // Its configurations are not public, and are in another package in Spring Boot 4.
            String configuration =
                    chosen.substring(0, chosen.length() - OF_REDIS.length()) + "." + kind.name() + "CacheConfiguration";
            if (kind.isPresent(loader) && ClassUtils.isPresent(configuration, loader)) {
                if (!registry.containsBeanDefinition(configuration)) {
                    registry.registerBeanDefinition(
                            configuration, new RootBeanDefinition(ClassUtils.resolveClassName(configuration, loader)));
                }
                RootBeanDefinition manager = new RootBeanDefinition();
                manager.setFactoryBeanName(configuration);
                manager.setFactoryMethodName(MANAGER);
                manager.setAutowireMode(AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR);
                registry.removeBeanDefinition(MANAGER);
                registry.registerBeanDefinition(MANAGER, manager);
                return;
            }
        }
    }
}
