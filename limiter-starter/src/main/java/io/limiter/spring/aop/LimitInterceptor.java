package io.limiter.spring.aop;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Lets a call through if all limits of its method grant it, and otherwise answers for it. */
final class LimitInterceptor implements MethodInterceptor {

    private final LimitedMethods<?, BoundLimits> methods;
    private final Supplier<Executor> executor;

    /** @param executor for methods that return futures, where the decision is not there at once */
    LimitInterceptor(LimitedMethods<?, BoundLimits> methods, Supplier<Executor> executor) {
        this.methods = methods;
        this.executor = executor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        BoundLimits limits = methods.limiting(invocation);
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
}
