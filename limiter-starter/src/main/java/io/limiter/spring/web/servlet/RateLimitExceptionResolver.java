package io.limiter.spring.web.servlet;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;

/**
 * Responds to rejected calls of Spring MVC, and to exceptions that a rejection caused. A bean of this type replaces the one of the
 * library.
 *
 * <p>It is the last of all resolvers unless it says otherwise, so that the application's own have precedence.
 */
public interface RateLimitExceptionResolver extends HandlerExceptionResolver, Ordered {

    @Override
    default int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
