package io.limiter.spring.aop;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Limits the methods that carry {@link RateLimit}, {@link CountLimit} or {@link ConcurrentLimit}, as a bean that Spring's
 * auto-proxying picks up. A bean of this type replaces the one of the library, and then nothing else limits them.
 */
public interface LimitAdvisor extends PointcutAdvisor, Ordered {

    /**
     * Before retries, so that a call takes permits once; before transactions and caches, so that a rejected call uses neither;
     * and after method security, so that a call that is not authorized takes no permits.
     */
    int DEFAULT_ORDER = LOWEST_PRECEDENCE - 1000;
}
