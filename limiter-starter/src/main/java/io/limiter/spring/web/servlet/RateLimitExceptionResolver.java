package io.limiter.spring.web.servlet;

import io.limiter.spring.internal.web.servlet.ServletRejectionResponses;
import io.limiter.spring.web.RejectionResponses;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Responds to rejected calls of Spring MVC; see {@link RejectionResponses}. It also responds to exceptions that a rejection caused.
 *
 * <p>It is the last of all resolvers, so that the application's own have precedence.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private final ServletRejectionResponses responses;

    public RateLimitExceptionResolver(ServletRejectionResponses responses) {
        this.responses = responses;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        RuntimeException rejection = RejectionResponses.rejection(exception);
        if (rejection == null || response.isCommitted()) {
            return null;
        }
        responses.write(rejection, request, response);
        return new ModelAndView();
    }
}
