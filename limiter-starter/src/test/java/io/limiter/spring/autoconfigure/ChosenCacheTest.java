package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.support.SimpleCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;

/** The starter changes no cache of an application, although it brings a Redis client. */
class ChosenCacheTest {

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    public static class Cached {

        @Cacheable("texts")
        public String text(String key) {
            return new StringBuilder(key).toString();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnCache {

        @Bean
        Cache texts() {
            return new ConcurrentMapCache("texts");
        }
    }

    private static ApplicationContextRunner cached(String... properties) {
        return Contexts.plain()
                // Redisson has some, and Spring Boot chooses them before Redis.
                .withClassLoader(new FilteredClassLoader("javax.cache"))
                .withConfiguration(Contexts.redis())
                .withConfiguration(Contexts.caches())
                .withUserConfiguration(Cached.class)
                .withPropertyValues(properties);
    }

    @ParameterizedTest
    @ValueSource(strings = {"limiter.type=local", "limiter.type=redis", "limiter.enabled=false"})
    void without_settings_of_redis_it_is_the_one_without_the_starter(String mode) {
        try (LogLines log = new LogLines(ChosenCache.class)) {
            cached(
                            mode,
                            "spring.cache.cache-names=texts",
                            "spring.data.redis.repositories.enabled=false",
                            "limiter.failure.warm-up=false")
                    .run(context -> {
                        CacheManager manager = context.getBean(CacheManager.class);
                        assertThat(manager).isInstanceOf(ConcurrentMapCacheManager.class);
                        // Those of Spring Boot's settings, too.
                        assertThat(manager.getCacheNames()).containsExactly("texts");
                        Cached calls = context.getBean(Cached.class);
                        assertThat(calls.text("a")).isSameAs(calls.text("a"));
                    });
            cached(mode, "limiter.failure.warm-up=false")
                    .withUserConfiguration(OwnCache.class)
                    .run(context ->
                            assertThat(context.getBean(CacheManager.class)).isInstanceOf(SimpleCacheManager.class));
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void with_settings_of_redis_it_is_redis_and_one_line_says_so() {
        try (LogLines log = new LogLines(ChosenCache.class)) {
            cached("limiter.type=local", "spring.data.redis.timeout=1s")
                    .run(context ->
                            assertThat(context.getBean(CacheManager.class)).isInstanceOf(RedisCacheManager.class));
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN Spring Boot has chosen Redis as the cache of this application")
                    .contains("set spring.cache.type to redis if that is intended");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "spring.data.redis.host=localhost"})
    void a_type_that_is_set_is_used_and_logs_nothing(String redis) {
        try (LogLines log = new LogLines(ChosenCache.class)) {
            cached("limiter.type=local", "spring.cache.type=redis", redis.isEmpty() ? "unused=1" : redis)
                    .run(context ->
                            assertThat(context.getBean(CacheManager.class)).isInstanceOf(RedisCacheManager.class));
            assertThat(log.all()).isEmpty();
        }
    }
}
