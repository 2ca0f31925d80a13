package io.limiter.spring.aop;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Lets a call through if all limits of its method grant it. */
final class LimitInterceptor implements MethodInterceptor {

    private final LimitedMethods methods;

    LimitInterceptor(LimitedMethods methods) {
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        Class<?> beanClass = target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
        for (BoundLimit limit : methods.limits(method, beanClass)) {
            limit.take(invocation.getArguments());
        }
        return invocation.proceed();
    }
}
