package io.limiter.spring.aop;

import io.limiter.Lease;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Lets a call through if there is a place for it, which it holds until it is done. */
final class ConcurrentLimitInterceptor implements MethodInterceptor {

    private final LimitedMethods<?, BoundConcurrency> methods;

    ConcurrentLimitInterceptor(LimitedMethods<?, BoundConcurrency> methods) {
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        EventLoops.checkMayWait(invocation.getMethod(), EventLoops.HOLD);
        Lease lease = methods.limiting(invocation).enter(invocation.getArguments());
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
}
