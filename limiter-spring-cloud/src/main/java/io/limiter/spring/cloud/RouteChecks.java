package io.limiter.spring.cloud;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.FilterDefinition;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.support.ConfigurationService;

/**
 * Checks the limits of configured routes before the server starts, so that an invalid one prevents startup. Routes that the application wants to be ignored ({@code fail-on-route-definition-error=false}) are not checked.
 */
final class RouteChecks implements SmartInitializingSingleton {

    private final GatewayProperties properties;
    private final ConfigurationService configuration;
    private final GatewayRateLimiter limiter;
    private final @Nullable RequestRateLimiterGatewayFilterFactory requests;

    /** @param requests {@code null} if the filter is switched off */
    RouteChecks(
            GatewayProperties properties,
            ConfigurationService configuration,
            GatewayRateLimiter limiter,
            @Nullable RequestRateLimiterGatewayFilterFactory requests) {
        this.properties = properties;
        this.configuration = configuration;
        this.limiter = limiter;
        this.requests = requests;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (requests != null && properties.isFailOnRouteDefinitionError()) {
            for (RouteDefinition route : properties.getRoutes()) {
                String id = String.valueOf(route.getId());
                properties.getDefaultFilters().forEach(filter -> check(requests, id, filter));
                route.getFilters().forEach(filter -> check(requests, id, filter));
            }
        }
    }

    private void check(RequestRateLimiterGatewayFilterFactory requests, String routeId, FilterDefinition filter) {
        if (requests.name().equals(filter.getName())) {
            RequestRateLimiterGatewayFilterFactory.Config read = read(requests, routeId, filter);
            Object used = read.getRateLimiter() == null ? requests.getDefaultRateLimiter() : read.getRateLimiter();
            if (used == limiter) {
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
