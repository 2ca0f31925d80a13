package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.spi.EngineObserver;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Limiters for this process alone. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "limiter", name = "type", havingValue = "local")
@ConditionalOnMissingBean(LimiterFactory.class)
class LocalLimiterConfiguration {

    @Bean
    LimiterFactory limiterFactory(
            ObjectProvider<EngineObserver> observers,
            ObjectProvider<LimiterListener> listeners,
            LimiterProperties properties) {
        return new LocalLimiterFactory(
                properties.cache().bounds(),
                properties.local().maxKeys(),
                EngineObserver.of(observers.orderedStream().toList()),
                listeners.orderedStream().toList());
    }
}
