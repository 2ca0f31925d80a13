package io.limiter.spring.internal.aop;

import io.limiter.spring.aop.LimitAdvisor;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Moves the advice of Spring Framework's {@code @Retryable} to directly after that of limits, unless {@code limiter.order} is
 * the last of all. Spring Framework puts it before all other advice, so each retry would take permits again, and rejections
 * would be retried. This bean has no order, so it runs after the post-processors of Spring Framework.
 */
public final class RetryAfterLimits implements BeanPostProcessor {

    /** By name, since Spring Framework 6 has no such class. */
    private static final String RETRY = "org.springframework.resilience.retry.AbstractRetryInterceptor";

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof Advised proxy && !proxy.isFrozen()) {
            for (Advisor advisor : proxy.getAdvisors()) {
                if (advisor instanceof LimitAdvisor limits) {
                    moveRetries(proxy, limits);
                }
            }
        }
        return bean;
    }

    private static void moveRetries(Advised proxy, LimitAdvisor limits) {
        for (Advisor advisor : proxy.getAdvisors()) {
            if (proxy.indexOf(advisor) < proxy.indexOf(limits) && belongsAfter(limits, advisor)) {
                proxy.removeAdvisor(advisor);
                proxy.addAdvisor(proxy.indexOf(limits) + 1, advisor);
            }
        }
    }

    /** Spring Framework's advisor of retries has no order of its own, so it is the last. One that an application has ordered stays. */
    private static boolean belongsAfter(LimitAdvisor limits, Advisor advisor) {
        return advisor instanceof DefaultPointcutAdvisor retry
                && retry.getOrder() > limits.getOrder()
                && RETRY.equals(retry.getAdvice().getClass().getSuperclass().getName());
    }
}
