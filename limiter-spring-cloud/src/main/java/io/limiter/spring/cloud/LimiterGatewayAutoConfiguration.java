package io.limiter.spring.cloud;

import io.limiter.LimiterFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/** Replaces the gateway's own RedisRateLimiter, whose auto-configuration then creates none. */
@AutoConfiguration(
        afterName = "io.limiter.spring.autoconfigure.LimiterAutoConfiguration",
        beforeName = {
            "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
            "org.springframework.cloud.gateway.config.GatewayAutoConfiguration"
        })
@ConditionalOnClass(RedisRateLimiter.class)
@ConditionalOnBean(LimiterFactory.class)
@ConditionalOnBooleanProperty("limiter.gateway.replace-redis-rate-limiter")
public class LimiterGatewayAutoConfiguration {

    /** A fallback, so that a RateLimiter bean of the application has precedence. */
    @Bean
    @Fallback
    @ConditionalOnMissingBean(RedisRateLimiter.class)
    GatewayRateLimiter limiterGatewayRateLimiter(LimiterFactory factory, ConfigurationService configuration) {
        return new GatewayRateLimiter(factory, configuration);
    }
}
