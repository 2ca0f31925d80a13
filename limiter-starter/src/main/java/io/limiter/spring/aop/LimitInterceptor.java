package io.limiter.spring.aop;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Lets a call through if all limits of its method grant it, and otherwise answers for it. */
final class LimitInterceptor implements MethodInterceptor {

    private final LimitedMethods<?, BoundLimits> methods;
    private final ApplicationBeans beans;

    LimitInterceptor(LimitedMethods<?, BoundLimits> methods, ApplicationBeans beans) {
        this.methods = methods;
        this.beans = beans;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        BoundLimits limits = methods.limiting(invocation);
        return switch (limits.style()) {
            case DIRECT -> direct(limits, invocation);
            case FUTURE -> LimitedFuture.of(limits, invocation, beans::executor);
            case MONO -> ReactiveCalls.mono(limits, invocation, beans.subscriptionContext());
            case FLUX -> ReactiveCalls.flux(limits, invocation, beans.subscriptionContext());
        };
    }

    private static @Nullable Object direct(BoundLimits limits, MethodInvocation invocation) throws Throwable {
        EventLoops.checkMayWait(invocation.getMethod(), EventLoops.TAKE);
        Refusal refusal = limits.take(invocation);
        return refusal == null ? invocation.proceed() : refusal.answer(invocation);
    }
}
