package io.limiter.spring.cloud;

import io.limiter.LimiterFactory;
import io.limiter.spring.internal.condition.ConditionalOnSetting;
import io.limiter.spring.settings.InvalidSettingException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/** Replaces the gateway's own RedisRateLimiter, whose auto-configuration then creates none. */
@AutoConfiguration(
        afterName = {
            "io.limiter.spring.autoconfigure.LimiterAutoConfiguration",
            "io.limiter.spring.autoconfigure.LimiterOffAutoConfiguration"
        },
        beforeName = {
            "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
            "org.springframework.cloud.gateway.config.GatewayAutoConfiguration"
        })
@ConditionalOnClass(RedisRateLimiter.class)
@ConditionalOnBean(LimiterFactory.class)
@ConditionalOnSetting(name = "limiter.gateway.replace-redis-rate-limiter", otherwise = "false")
public class LimiterGatewayAutoConfiguration {

    private static final String LIMITER = "limiterGatewayRateLimiter";

    /** A fallback, so that a RateLimiter bean of the application has precedence. */
    @Bean(LIMITER)
    @Fallback
    GatewayRateLimiter limiterGatewayRateLimiter(
            LimiterFactory factory, ConfigurationService configuration, ListableBeanFactory beans) {
        for (String name : beans.getBeanNamesForType(RedisRateLimiter.class, true, false)) {
            if (!name.equals(LIMITER)) {
                throw new InvalidSettingException(
                        "limiter.gateway.replace-redis-rate-limiter",
                        " cannot replace the bean '" + name + "', which is a RedisRateLimiter of the application:"
                                + " remove that bean and inject RedisRateLimiter where routes in Java use it, or"
                                + " remove the setting");
            }
        }
        return new GatewayRateLimiter(factory, configuration);
    }
}
