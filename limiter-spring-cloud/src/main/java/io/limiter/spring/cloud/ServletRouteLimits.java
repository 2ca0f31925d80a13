package io.limiter.spring.cloud;

import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.internal.web.servlet.ServletChecks;
import io.limiter.spring.internal.web.servlet.ServletRejectionResponses;
import io.limiter.spring.web.RejectionResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.cloud.gateway.server.mvc.config.GatewayMvcProperties;
import org.springframework.cloud.gateway.server.mvc.config.RouteProperties;
import org.springframework.cloud.gateway.server.mvc.handler.GatewayServerResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.web.context.request.async.AsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Applies rules to the requests of the servlet gateway, and checks at the start that the rules of configured routes exist. Grants all if
 * limits are disabled. Safe for use by many threads.
 */
final class ServletRouteLimits implements RouteRules.Filter, HandlerInterceptor, SmartInitializingSingleton {

    private static final String USER = ServletRouteLimits.class.getName() + ".user";

    private final GatewayMvcProperties properties;
    private final ObjectProvider<RouteRules> rules;
    private final ObjectProvider<ServletChecks> checks;

    /** @param rules has none if limits are disabled, and neither has {@code checks} */
    ServletRouteLimits(
            GatewayMvcProperties properties, ObjectProvider<RouteRules> rules, ObjectProvider<ServletChecks> checks) {
        this.properties = properties;
        this.rules = rules;
        this.checks = checks;
    }

    /** @throws io.limiter.spring.settings.InvalidSettingException if a route names no rule, or one with a path */
    @Override
    public void afterSingletonsInstantiated() {
        RouteRules known = rules.getIfAvailable();
        if (known != null) {
            properties.getRoutes().forEach(route -> check(route, known));
            properties.getRoutesMap().values().forEach(route -> check(route, known));
        }
    }

    private static void check(RouteProperties route, RouteRules rules) {
        route.getFilters().stream()
                .filter(filter -> "limit".equalsIgnoreCase(filter.getName()))
                .flatMap(filter -> filter.getArgs().values().stream())
                .forEach(rules::named);
    }

    /** Keeps the user of a request, because Spring Security knows it on the current thread alone, and filters of routes may use others. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        RouteRules known = handler instanceof HandlerFunction ? rules.getIfAvailable() : null;
        if (known != null && known.usesUser()) {
            request.setAttribute(USER, request.getUserPrincipal());
        }
        return true;
    }

    ServerResponse filter(String rule, ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
        RouteRules known = rules.getIfAvailable();
        if (known == null) {
            return next.handle(request);
        }
        HttpServletResponse response = response(request);
        HttpServletRequest changed = new ChangedRequest(request);
        ServletChecks checking = checks.getObject();
        RuntimeException rejection = checking.rejection(changed, response, known.named(rule));
        if (rejection != null) {
            RejectionResponse answer = checking.answer(rejection, changed);
            return ServerResponse.status(answer.status()).build((rejected, written) -> {
                ServletRejectionResponses.write(answer, written);
                return null;
            });
        }
        boolean readsBody = ServletChecks.readsBody(request.servletRequest());
        ServerResponse handled = next.handle(readsBody ? uncompressed(request) : request);
        if (!ServletChecks.writeHeaders(request.servletRequest()) || readsBody) {
            return LimitedResponse.of(handled);
        }
        replaceHeaders(handled, response);
        return handled;
    }

    /** Asks the server behind the gateway for a response that can be read. */
    private static ServerRequest uncompressed(ServerRequest request) {
        return ServerRequest.from(request)
                .headers(headers -> headers.set(HttpHeaders.ACCEPT_ENCODING, "identity"))
                .build();
    }

    /**
     * Removes the headers of limits behind the gateway, which it would add to those of the response. Headers of other handlers cannot
     * change.
     */
    static void replaceHeaders(ServerResponse handled, HttpServletResponse response) {
        if (handled instanceof GatewayServerResponse) {
            handled.headers()
                    .headerSet()
                    .removeIf(header -> isOfLimits(header.getKey()) && response.containsHeader(header.getKey()));
        }
    }

    private static boolean isOfLimits(String header) {
        return header.toLowerCase(Locale.ROOT).contains("ratelimit");
    }

    /** Found without the thread, because a circuit breaker may run the rest of a route on another. */
    private static HttpServletResponse response(ServerRequest request) {
        AsyncWebRequest handled =
                WebAsyncUtils.getAsyncManager(request.servletRequest()).getAsyncWebRequest();
        return Objects.requireNonNull(
                handled == null ? null : handled.getNativeResponse(HttpServletResponse.class),
                "the request has no response");
    }

    /** A request with the headers that filters before this one have set, and its user on every thread. */
    private static final class ChangedRequest extends HttpServletRequestWrapper {

        private final ServerRequest.Headers headers;

        ChangedRequest(ServerRequest request) {
            super(request.servletRequest());
            this.headers = request.headers();
        }

        @Override
        public @Nullable Principal getUserPrincipal() {
            Principal user = super.getUserPrincipal();
            return user == null ? (Principal) getAttribute(USER) : user;
        }

        @Override
        public @Nullable String getHeader(String name) {
            return headers.firstHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return Collections.enumeration(headers.header(name));
        }
    }
}
