package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.actuate.CallTimes;
import io.limiter.spring.actuate.KnownDefinitions;
import io.limiter.spring.actuate.KnownHashTags;
import io.limiter.spring.actuate.LimitersEndpoint;
import io.limiter.spring.aop.LimitAdvisor;
import java.util.Objects;
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
        KnownDefinitions limiterAnnotatedDefinitions(ObjectProvider<LimitAdvisor> advisors) {
            return (prefix, name) -> advisors.stream()
                    .map(advisor -> advisor.definedBy(prefix, name))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        @Bean
        LimitersEndpoint limitersEndpoint(
                LimiterFactory factory,
                ObjectProvider<LiveLimits> live,
                CallTimes times,
                ObjectProvider<KnownHashTags> hashTags,
                ObjectProvider<KnownDefinitions> definitions,
                LimiterProperties properties) {
            return new LimitersEndpoint(
                    factory,
                    live.getIfAvailable(),
                    times,
                    new LimitersEndpoint.Known(hashTags::stream, definitions::stream),
                    properties.endpoint().showKeys());
        }
    }
}
