package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.RateLimit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Whether a call that a cache answers takes permits. */
class CacheOrderTest {

    static class Prices {

        private final AtomicInteger calls = new AtomicInteger();

        public AtomicInteger calls() {
            return calls;
        }

        @Cacheable("prices")
        @RateLimit(rate = 1.0 / 60, burst = 120)
        public int price(String article) {
            return calls.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Caches {

        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Caches.class)
    @EnableCaching
    static class Usual {}

    @Configuration(proxyBeanMethods = false)
    @Import(Caches.class)
    @EnableCaching(order = 1000)
    static class CacheFirst {}

    @Test
    void a_hit_takes_permits() {
        Contexts.local()
                .withUserConfiguration(Usual.class)
                .withBean(Prices.class)
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    assertThat(prices.price("a")).isEqualTo(1);
                    assertThat(prices.price("a")).isEqualTo(1);
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> prices.price("a"));
                });
    }

    @Test
    void a_hit_takes_none_if_caching_comes_first() {
        Contexts.local()
                .withUserConfiguration(CacheFirst.class)
                .withBean(Prices.class)
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    for (int i = 0; i < 5; i++) {
                        assertThat(prices.price("a")).isEqualTo(1);
                    }
                    assertThat(prices.price("b")).isEqualTo(2);
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> prices.price("c"));
                });
    }
}
