package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Says what is missing where not even Spring Data Redis is there. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingClass("org.springframework.data.redis.connection.RedisConnectionFactory")
@ConditionalOnProperty(prefix = "limiter", name = "type", havingValue = "redis", matchIfMissing = true)
@ConditionalOnMissingBean(LimiterFactory.class)
class NoRedisConfiguration {

    @Bean
    LimiterFactory limiterFactory() {
        throw new NoRedisConnectionException();
    }
}
