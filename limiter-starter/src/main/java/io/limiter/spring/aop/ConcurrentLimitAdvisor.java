package io.limiter.spring.aop;

import io.limiter.LimiterFactory;
import io.limiter.spring.key.CallKeys;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/**
 * Limits the methods that carry {@link io.limiter.spring.annotation.ConcurrentLimit}, as a bean that Spring's auto-proxying
 * picks up. Stands right behind the {@link LimitAdvisor}: a call that is refused for its rate holds no place.
 */
public final class ConcurrentLimitAdvisor implements PointcutAdvisor, Ordered, SmartInitializingSingleton {

    private final ConcurrentMethods methods;
    private final Pointcut pointcut;
    private final Advice advice;
    private final int order;

    /**
     * @param factory asked for when the first limiter is built, not before the application's beans are there
     * @param order of the {@link LimitAdvisor}
     */
    public ConcurrentLimitAdvisor(Supplier<LimiterFactory> factory, CallKeys keys, int order) {
        this.methods = new ConcurrentMethods(factory, keys);
        this.pointcut = new ConcurrentMethodsPointcut(methods);
        this.advice = new ConcurrentLimitInterceptor(methods);
        this.order = order == Ordered.LOWEST_PRECEDENCE ? order : order + 1;
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    @Override
    public int getOrder() {
        return order;
    }

    /** Builds the limiters, so that what is wrong with them shows now and not in a call. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.start();
    }

    private static final class ConcurrentMethodsPointcut extends StaticMethodMatcherPointcut {

        private final ConcurrentMethods methods;

        ConcurrentMethodsPointcut(ConcurrentMethods methods) {
            this.methods = methods;
            ClassFilter anyLimited = methods::anyIn;
            setClassFilter(anyLimited);
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return methods.contains(method, targetClass);
        }
    }
}
