package io.limiter.spring.cloud;

import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.internal.web.servlet.ServletChecks;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.filter.FilterSupplier;
import org.springframework.cloud.gateway.server.mvc.filter.SimpleFilterSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.handler.MappedInterceptor;

/** The filter {@code Limit} of the servlet gateway. */
@AutoConfiguration(afterName = "org.springframework.cloud.gateway.server.mvc.GatewayServerMvcAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(GatewayMvcProperties.class)
@ConditionalOnBean(GatewayMvcProperties.class)
public class LimiterServletGatewayAutoConfiguration {

    @Bean
    ServletRouteLimits limiterRouteLimits(
            GatewayMvcProperties properties, ObjectProvider<RouteRules> rules, ObjectProvider<ServletChecks> checks) {
        return new ServletRouteLimits(properties, rules, checks);
    }

    @Bean
    MappedInterceptor limiterRouteUsers(ServletRouteLimits limits) {
        return new MappedInterceptor(null, limits);
    }

    /** Gives the filter a name for properties. */
    @Bean
    FilterSupplier limiterFilterSupplier() {
        return new SimpleFilterSupplier(LimitFilterFunctions.class);
    }
}
