package io.limiter.spring.internal.web.servlet;

import io.limiter.spring.internal.web.CatchAllHandlers;
import io.limiter.spring.internal.web.RejectionResponses;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Responds to rejected calls that an {@code @ExceptionHandler} method for all exceptions would answer otherwise. If a method names
 * the exception, or no method handles it, the usual resolvers respond.
 */
public final class CatchAllExceptionResolver implements HandlerExceptionResolver, Ordered {

    /** Right before Spring MVC's own. */
    private static final int ORDER = -1;

    private final HandlerExceptionResolver resolver;
    private final CatchAllHandlers handlers;

    public CatchAllExceptionResolver(HandlerExceptionResolver resolver, CatchAllHandlers handlers) {
        this.resolver = resolver;
        this.handlers = handlers;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        return RejectionResponses.rejection(exception) != null && isCaught(exception, handler)
                ? resolver.resolveException(request, response, handler, exception)
                : null;
    }

    /** Whether a method for all exceptions would answer, because nothing names the exception or one that it causes. */
    private boolean isCaught(Throwable exception, @Nullable Object handler) {
        HandlerMethod method = handler instanceof HandlerMethod ofController ? ofController : null;
        for (Throwable each = exception; each != null; each = each.getCause()) {
            if (!handlers.answer(each.getClass(), method)) {
                return false;
            }
            if (RejectionResponses.isRejection(each)) {
                return true;
            }
            if (AnnotatedElementUtils.hasAnnotation(each.getClass(), ResponseStatus.class)) {
                return false;
            }
        }
        return false;
    }
}
