package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Lets a call through if all limits of its method grant it, and otherwise answers for it. */
final class LimitInterceptor implements MethodInterceptor {

    private final LimitedMethods methods;
    private final Supplier<Executor> executor;

    /** @param executor for methods that return futures, where the decision is not there at once */
    LimitInterceptor(LimitedMethods methods, Supplier<Executor> executor) {
        this.methods = methods;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Method method = invocation.getMethod();
        Object target = invocation.getThis();
        BoundLimits limits = limits(method, target);
        return switch (limits.style()) {
            case DIRECT -> direct(limits, invocation);
            case FUTURE -> LimitedFuture.of(limits, invocation, executor);
            case MONO -> ReactiveCalls.mono(limits, invocation);
            case FLUX -> ReactiveCalls.flux(limits, invocation);
        };
    }

    private static @Nullable Object direct(BoundLimits limits, MethodInvocation invocation) throws Throwable {
        Refusal refusal = limits.take(invocation);
        return refusal == null ? invocation.proceed() : refusal.answer(invocation);
    }

    private BoundLimits limits(Method method, @Nullable Object target) {
        Class<?> outer = target == null ? method.getDeclaringClass() : target.getClass();
        Class<?> inner = target == null ? outer : AopUtils.getTargetClass(target);
        BoundLimits limits = methods.limits(method, inner);
        if (limits == null) {
            // What a proxy stands for need not have the method: a repository's interface is implemented by no class.
            limits = methods.limits(method, outer);
        }
        if (limits == null) {
            throw new IllegalStateException("the limits of " + method + " were not found for " + inner.getName());
        }
        return limits;
    }
}
