package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.actuate.EndpointRequestConfiguration;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.live.LiveEventPublisher;
import io.limiter.spring.internal.live.LiveLimitsEndpoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The events of live limits, and the Actuator endpoint {@code livelimits}. */
@AutoConfiguration(afterName = "io.limiter.spring.autoconfigure.LimiterAutoConfiguration")
@ConditionalOnEnabledLimiter
@ConditionalOnBean(LimiterFactory.class)
public class LimiterLiveAutoConfiguration {

    @Bean
    LiveEventPublisher limiterLiveEvents(ObjectProvider<LiveLimits> limits, ApplicationEventPublisher publisher) {
        return new LiveEventPublisher(limits, publisher);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class WithActuator {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnAvailableEndpoint(LiveLimitsEndpoint.class)
        @ConditionalOnMissingBean(LiveLimitsEndpoint.class)
        @Import(EndpointRequestConfiguration.class)
        static class Available {

            @Bean
            LiveLimitsEndpoint limiterLiveEndpoint(LimiterFactory factory, ObjectProvider<LiveLimits> live) {
                return new LiveLimitsEndpoint(factory, live.getIfAvailable(() -> LiveLimits.NONE));
            }
        }
    }
}
