package io.limiter.spring.aop;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Limits the methods that carry {@link RateLimit}, {@link CountLimit} or {@link ConcurrentLimit}. Spring's auto-proxying picks up this bean. A bean of
 * this type in the application replaces the one of the library, and then nothing else limits these methods.
 */
public interface LimitAdvisor extends PointcutAdvisor, Ordered {

    /**
     * The default order. It is before retries, so that a call takes permits once, before transactions and caches, so that a rejected call uses
     * neither, and after method security, so that a call that is not authorized takes no permits.
     */
    int DEFAULT_ORDER = LOWEST_PRECEDENCE - 1000;
}
