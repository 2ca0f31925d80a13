package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.actuate.CallTimes;
import io.limiter.spring.internal.actuate.EndpointRequestConfiguration;
import io.limiter.spring.internal.actuate.KnownLimits;
import io.limiter.spring.internal.actuate.LimitLookup;
import io.limiter.spring.internal.actuate.LimitersEndpoint;
import io.limiter.spring.internal.condition.ConditionalOnEnabledLimiter;
import io.limiter.spring.internal.condition.SettingValue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** The Actuator endpoint {@code limiters}. */
@AutoConfiguration(afterName = "io.limiter.spring.autoconfigure.LimiterAutoConfiguration")
@ConditionalOnEnabledLimiter
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(LimiterFactory.class)
public class LimiterEndpointAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(LimitersEndpoint.class)
    @ConditionalOnMissingBean(LimitersEndpoint.class)
    @Import(EndpointRequestConfiguration.class)
    @EnableConfigurationProperties(LimitersEndpoint.Settings.class)
    static class Available {

        @Bean
        CallTimes limiterCallTimes() {
            return new CallTimes();
        }

        @Bean
        LimitersEndpoint limitersEndpoint(
                LimiterFactory factory,
                ObjectProvider<LiveLimits> live,
                CallTimes times,
                ObjectProvider<KnownLimits> known,
                LimitersEndpoint.Settings properties,
                Environment environment,
                ApplicationEventPublisher events) {
            boolean showKeys = SettingValue.isTrue(environment, "limiter.live.show-keys", false);
            return new LimitersEndpoint(
                    new LimitLookup(factory, known::stream, showKeys, events),
                    live.getIfAvailable(() -> LiveLimits.NONE),
                    times,
                    properties);
        }
    }
}
