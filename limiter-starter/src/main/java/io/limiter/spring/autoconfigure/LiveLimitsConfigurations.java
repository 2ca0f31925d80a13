package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.actuate.AuditedLiveLimits;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The live limits, of limiters with permits in Redis. The first configuration that applies creates them. */
final class LiveLimitsConfigurations {

    private static final String SWITCH = "limiter.live.enabled";

    private LiveLimitsConfigurations() {}

    /** With audit events. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = SWITCH, matchIfMissing = true)
    @ConditionalOnClass(AuditApplicationEvent.class)
    static class Audited {

        @Bean
        @ConditionalOnMissingBean
        LiveLimits limiterLiveLimits(LimiterFactory factory, ApplicationEventPublisher publisher) {
            return new AuditedLiveLimits(factory.live().orElseThrow(), publisher);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = SWITCH, matchIfMissing = true)
    static class Plain {

        @Bean
        @ConditionalOnMissingBean
        LiveLimits limiterLiveLimits(LimiterFactory factory) {
            return factory.live().orElseThrow();
        }
    }
}
