package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.function.Function;
import org.aopalliance.aop.Advice;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/**
 * Limits methods, as a bean that Spring's auto-proxying picks up.
 *
 * @param <L> what limits a method
 */
abstract class LimitingAdvisor<L> implements PointcutAdvisor, Ordered, SmartInitializingSingleton {

    private final LimitedMethods<?, L> methods;
    private final Pointcut pointcut;
    private final Advice advice;
    private final int order;

    LimitingAdvisor(LimitedMethods<?, L> methods, Function<LimitedMethods<?, L>, Advice> advice, int order) {
        this.methods = methods;
        this.pointcut = new LimitedMethodsPointcut(methods);
        this.advice = advice.apply(methods);
        this.order = order;
    }

    @Override
    public final Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public final Advice getAdvice() {
        return advice;
    }

    @Override
    public final int getOrder() {
        return order;
    }

    /** Builds the limiters, so that what is wrong with them shows now and not in a call. */
    @Override
    public void afterSingletonsInstantiated() {
        methods.start();
    }

    private static final class LimitedMethodsPointcut extends StaticMethodMatcherPointcut {

        private final LimitedMethods<?, ?> methods;

        LimitedMethodsPointcut(LimitedMethods<?, ?> methods) {
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
