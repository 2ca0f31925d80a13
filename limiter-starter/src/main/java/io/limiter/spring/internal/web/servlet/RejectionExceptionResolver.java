package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.RejectionResponses;
import io.limiter.spring.web.servlet.RateLimitExceptionResolver;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.ModelAndView;

/** Responds as {@link RejectionResponses} says. */
public final class RejectionExceptionResolver implements RateLimitExceptionResolver {

    private final ServletRejectionResponses responses;

    public RejectionExceptionResolver(ServletRejectionResponses responses) {
        this.responses = responses;
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
