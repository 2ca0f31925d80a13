package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.spring.internal.actuate.BackendHealth;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The health contributor {@code limiter}, for Spring Boot 3 and 4, whose types of one name are in different packages. */
@AutoConfiguration(afterName = "io.limiter.spring.autoconfigure.LimiterAutoConfiguration")
@ConditionalOnEnabledLimiter
@Conditional(LimiterHealthAutoConfiguration.HealthSwitch.class)
@ConditionalOnBean(LimiterFactory.class)
public class LimiterHealthAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    static class OfBoot4 {

        @Bean
        @ConditionalOnMissingBean(name = "limiterHealthIndicator")
        org.springframework.boot.health.contributor.HealthIndicator limiterHealthIndicator(LimiterFactory factory) {
            return () -> {
                BackendHealth health = BackendHealth.of(factory);
                return org.springframework.boot.health.contributor.Health.status(health.status())
                        .withDetails(health.details())
                        .build();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    static class OfBoot3 {

        @Bean
        @ConditionalOnMissingBean(name = "limiterHealthIndicator")
        org.springframework.boot.actuate.health.HealthIndicator limiterHealthIndicator(LimiterFactory factory) {
            return () -> {
                BackendHealth health = BackendHealth.of(factory);
                return org.springframework.boot.actuate.health.Health.status(health.status())
                        .withDetails(health.details())
                        .build();
            };
        }
    }

    /**
     * Whether the health contributor is enabled, by its own setting or the one for all. Spring Boot's
     * {@code ConditionalOnEnabledHealthIndicator} is in another package in Spring Boot 4.
     */
    static final class HealthSwitch extends SpringBootCondition {

        private static final String OWN = "management.health.limiter.enabled";
        private static final String ALL = "management.health.defaults.enabled";

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            String setting = environment.containsProperty(OWN) ? OWN : ALL;
            boolean on = environment.getProperty(setting, Boolean.class, true);
            return new ConditionOutcome(on, ConditionMessage.of(setting + " is " + on));
        }
    }
}
