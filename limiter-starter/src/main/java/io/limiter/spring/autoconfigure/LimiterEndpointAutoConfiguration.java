package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.spring.actuate.CallTimes;
import io.limiter.spring.actuate.KnownHashTags;
import io.limiter.spring.actuate.LimitersEndpoint;
import io.limiter.spring.actuate.WritableLimitersEndpoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The Actuator endpoint {@code limiters}. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "limiter.enabled", matchIfMissing = true)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
public class LimiterEndpointAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(LimitersEndpoint.class)
    @ConditionalOnMissingBean(LimitersEndpoint.class)
    static class Available {

        @Bean
        CallTimes limiterCallTimes() {
            return new CallTimes();
        }

        @Bean
        LimitersEndpoint limitersEndpoint(
                LimiterFactory factory,
                CallTimes times,
                ObjectProvider<KnownHashTags> hashTags,
                LimiterProperties properties) {
            boolean showKeys = properties.endpoint().showKeys();
            return properties.endpoint().writable()
                    ? new WritableLimitersEndpoint(factory, times, hashTags::stream, showKeys)
                    : new LimitersEndpoint(factory, times, hashTags::stream, showKeys);
        }
    }
}
