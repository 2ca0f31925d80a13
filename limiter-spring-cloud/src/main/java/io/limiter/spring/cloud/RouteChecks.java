package io.limiter.spring.cloud;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.support.ConfigurationService;

/**
 * Checks the limits of configured routes before the server starts, so that the application fails to start if one is invalid. Routes that the
 * application wants to be ignored ({@code fail-on-route-definition-error=false}) are not checked.
 */
final class RouteChecks implements SmartInitializingSingleton {

    private final GatewayProperties properties;
    private final ConfigurationService configuration;
    private final LimitGatewayFilterFactory limits;
    private final @Nullable GatewayRateLimiter limiter;
    private final @Nullable RequestRateLimiterGatewayFilterFactory requests;

    /**
     * @param limiter has none if it does not replace the gateway's own
     * @param requests has none if the filter is switched off
     */
    RouteChecks(
            GatewayProperties properties,
            ConfigurationService configuration,
            LimitGatewayFilterFactory limits,
            ObjectProvider<GatewayRateLimiter> limiter,
            ObjectProvider<RequestRateLimiterGatewayFilterFactory> requests) {
        this.properties = properties;
        this.configuration = configuration;
        this.limits = limits;
        this.limiter = limiter.getIfAvailable();
        this.requests = this.limiter == null ? null : requests.getIfAvailable();
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (properties.isFailOnRouteDefinitionError()) {
            for (RouteDefinition route : properties.getRoutes()) {
                String id = String.valueOf(route.getId());
                properties.getDefaultFilters().forEach(filter -> check(id, filter));
                route.getFilters().forEach(filter -> check(id, filter));
            }
        }
    }

    private void check(String routeId, FilterDefinition filter) {
        if (limits.name().equals(filter.getName())) {
            limits.apply(read(limits, routeId, filter));
        } else if (requests != null && requests.name().equals(filter.getName())) {
            RequestRateLimiterGatewayFilterFactory.Config read = read(requests, routeId, filter);
            Object used = read.getRateLimiter() == null ? requests.getDefaultRateLimiter() : read.getRateLimiter();
            if (limiter != null && used == limiter) {
                limiter.limit(routeId);
            }
        }
    }

    /** As the gateway does when it builds the route; rate limiters read their own arguments from the event. */
    private <C> C read(AbstractGatewayFilterFactory<C> factory, String routeId, FilterDefinition filter) {
        return configuration
                .with(factory)
                .name(filter.getName())
                .properties(filter.getArgs())
                .eventFunction((bound, args) -> new FilterArgsEvent(this, routeId, args))
                .bind();
    }
}
