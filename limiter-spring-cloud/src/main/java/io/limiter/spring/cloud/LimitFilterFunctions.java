package io.limiter.spring.cloud;

import java.util.Objects;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.cloud.gateway.server.mvc.common.Shortcut;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** Filters of the servlet gateway. */
public final class LimitFilterFunctions {

    private LimitFilterFunctions() {}

    /**
     * Applies a rule of {@code limiter.http} without a path, like {@code - Limit=orders} in properties. Routes that name the same rule share its
     * permits. If limits are disabled, it grants everything.
     *
     * @param rule a key of {@code limiter.http}. If there is no such rule, or if it has a path, the first request fails
     */
    @Shortcut
    public static HandlerFilterFunction<ServerResponse, ServerResponse> limit(String rule) {
        Objects.requireNonNull(rule, "rule must be the name of a rule of limiter.http, was null");
        return (request, next) -> MvcUtils.getApplicationContext(request)
                .getBean(ServletRouteLimits.class)
                .filter(rule, request, next);
    }
}
