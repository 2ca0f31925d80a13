package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.spring.internal.aop.AnnotationLimitAdvisor;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.key.LazyLookup;
import io.limiter.spring.internal.metrics.LimiterMetrics;
import io.limiter.spring.metrics.LimiterWaitConvention;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The meters; Spring Boot binds them to its registries. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
@ConditionalOnEnabledLimiter
@ConditionalOnClass({MeterRegistry.class, ObservationRegistry.class})
@EnableConfigurationProperties(LimiterProperties.class)
public class LimiterMetricsAutoConfiguration {

    /**
     * It is created before the factory that it observes, so it looks other beans up later. If there are several of a type it
     * uses none, because an exception would fail a decision.
     */
    @Bean
    @ConditionalOnMissingBean
    LimiterMetrics limiterMetrics(
            ObjectProvider<LimiterFactory> factory,
            ObjectProvider<AnnotationLimitAdvisor> advisor,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<LimiterWaitConvention> convention,
            LimiterProperties properties) {
        return new LimiterMetrics(
                factory::getIfUnique,
                new LazyLookup<>(() -> {
                    AnnotationLimitAdvisor limiting = advisor.getIfUnique();
                    return limiting == null ? null : limiting.callCounts();
                }),
                new LazyLookup<>(observations::getIfUnique),
                new LazyLookup<>(() -> convention.getIfUnique(LimiterWaitConvention::new)),
                properties.metrics().maxLimits());
    }
}
