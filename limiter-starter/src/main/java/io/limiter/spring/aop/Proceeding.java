package io.limiter.spring.aop;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** Proceeds with a call after its interceptor has returned, perhaps in another thread. */
final class Proceeding {

    private Proceeding() {}

    /** Exposes the call in the current thread, where aspects further inside look for it. */
    static @Nullable Object with(MethodInvocation call) throws Throwable {
        return call instanceof ProxyMethodInvocation
                ? ExposeInvocationInterceptor.INSTANCE.invoke(call)
                : call.proceed();
    }

    /** As {@link #with}, for a call that can proceed more than once. */
    static @Nullable Object withCopyOf(MethodInvocation call) throws Throwable {
        return with(call instanceof ProxyMethodInvocation again ? again.invocableClone() : call);
    }
}
