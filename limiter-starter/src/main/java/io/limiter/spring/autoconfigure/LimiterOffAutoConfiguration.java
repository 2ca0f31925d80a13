package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.spring.condition.ConditionalOnSetting;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Limiters that grant everything, if limits are disabled, and what else the application may inject. */
@AutoConfiguration
@ConditionalOnSetting(name = "limiter.enabled", havingValue = "false", otherwise = "true")
@Import({PropertyNames.class, CallerConfigurations.UserOfSecurity.class})
public class LimiterOffAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LimiterFactory limiterFactory() {
        return LocalLimiterFactory.unlimited();
    }

    @Bean
    @ConditionalOnMissingBean
    LiveLimits limiterLiveLimits() {
        return LiveLimits.NONE;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    @EnableConfigurationProperties(LimiterProperties.class)
    @Import({
        CallerConfigurations.ExchangeUsersOfSecurity.class,
        CallerConfigurations.CallerOfExchange.class,
        CallerConfigurations.UserOfSecurity.class,
        CallerConfigurations.CallerOfRequest.class
    })
    static class Callers {}
}
