package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.spring.aop.LimitAdvisor;
import io.limiter.spring.metrics.LimiterMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The meters, which Spring Boot registers where there is a registry. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "limiter.enabled", matchIfMissing = true)
@ConditionalOnClass({MeterRegistry.class, ObservationRegistry.class})
public class LimiterMetricsAutoConfiguration {

    /**
     * Made before the factory, which it observes, so it asks for everything later. Of several beans that are equal it takes
     * none: to fail would fail a decision.
     */
    @Bean
    @ConditionalOnMissingBean
    LimiterMetrics limiterMetrics(
            ObjectProvider<LimiterFactory> factory,
            ObjectProvider<LimitAdvisor> advisor,
            ObjectProvider<ObservationRegistry> observations) {
        return new LimiterMetrics(
                factory::getIfUnique,
                () -> {
                    LimitAdvisor limiting = advisor.getIfUnique();
                    return limiting == null ? null : limiting.callCounts();
                },
                observations::getIfUnique);
    }
}
