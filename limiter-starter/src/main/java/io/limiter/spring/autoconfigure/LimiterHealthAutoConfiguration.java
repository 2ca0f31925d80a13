package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.spring.actuate.Boot3LimiterHealthIndicator;
import io.limiter.spring.actuate.LimiterHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The health contributor {@code limiter}, on whichever Spring Boot is there. */
@AutoConfiguration(after = LimiterAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "limiter.enabled", matchIfMissing = true)
@Conditional(HealthSwitch.class)
@ConditionalOnBean(LimiterFactory.class)
public class LimiterHealthAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    static class OfBoot4 {

        @Bean
        @ConditionalOnMissingBean(name = "limiterHealthIndicator")
        LimiterHealthIndicator limiterHealthIndicator(LimiterFactory factory) {
            return new LimiterHealthIndicator(factory);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    static class OfBoot3 {

        @Bean
        @ConditionalOnMissingBean(name = "limiterHealthIndicator")
        Boot3LimiterHealthIndicator limiterHealthIndicator(LimiterFactory factory) {
            return new Boot3LimiterHealthIndicator(factory);
        }
    }
}
