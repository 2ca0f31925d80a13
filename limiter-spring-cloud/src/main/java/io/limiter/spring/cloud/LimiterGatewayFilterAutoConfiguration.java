package io.limiter.spring.cloud;

import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.internal.web.reactive.ExchangeChecks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;

/** The filter {@code Limit} of the reactive gateway. */
@AutoConfiguration(afterName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(ConfigurationService.class)
@ConditionalOnBean(ConfigurationService.class)
public class LimiterGatewayFilterAutoConfiguration {

    @Bean
    LimitGatewayFilterFactory limiterGatewayFilter(
            ObjectProvider<RouteRules> rules, ObjectProvider<ExchangeChecks> checks) {
        return new LimitGatewayFilterFactory(rules, checks);
    }

    @Bean
    RouteRules.Filter limiterGatewayFilterMark() {
        return new RouteRules.Filter() {};
    }

    @Bean
    ReadRoutes limiterReadRoutes(ObjectProvider<RouteRules> rules, ObjectProvider<ExchangeChecks> checks) {
        return new ReadRoutes(rules, checks);
    }

    @Bean
    RouteChecks limiterGatewayRouteChecks(
            GatewayProperties properties,
            ConfigurationService configuration,
            LimitGatewayFilterFactory limits,
            ObjectProvider<GatewayRateLimiter> limiter,
            ObjectProvider<RequestRateLimiterGatewayFilterFactory> requests) {
        return new RouteChecks(properties, configuration, limits, limiter, requests);
    }
}
