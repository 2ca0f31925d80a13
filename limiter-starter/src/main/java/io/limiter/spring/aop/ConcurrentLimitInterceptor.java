package io.limiter.spring.aop;

import io.limiter.Lease;
import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Lets a call through if there is a place for it, which it holds until it is done. */
final class ConcurrentLimitInterceptor implements MethodInterceptor {

    private final ConcurrentMethods methods;

    ConcurrentLimitInterceptor(ConcurrentMethods methods) {
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Lease lease = limit(invocation).enter(invocation.getArguments());
        boolean goesOn = false;
        try {
            Object result = invocation.proceed();
            if (result instanceof CompletionStage<?> stage) {
                stage.whenComplete((value, error) -> lease.closeAsync());
                goesOn = true;
            }
            return result;
        } finally {
            if (!goesOn) {
                lease.close();
            }
        }
    }

    private BoundConcurrency limit(MethodInvocation invocation) {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        Class<?> outer = target == null ? method.getDeclaringClass() : target.getClass();
        Class<?> inner = target == null ? outer : AopUtils.getTargetClass(target);
        BoundConcurrency limit = methods.find(method, inner);
        if (limit == null) {
            // What a proxy stands for need not have the method: a repository's interface is implemented by no class.
            limit = methods.find(method, outer);
        }
        if (limit == null) {
            throw new IllegalStateException("the limit of " + method + " was not found for " + inner.getName());
        }
        return limit;
    }
}
