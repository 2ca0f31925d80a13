package io.limiter.spring.aop;

import io.limiter.spring.key.MethodName;
import java.lang.reflect.Method;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** The threads that must never wait, because they serve all others too. */
final class EventLoops {

    private static final boolean THERE_CAN_BE =
            ClassUtils.isPresent("reactor.core.scheduler.NonBlocking", EventLoops.class.getClassLoader());

    private EventLoops() {}

    /** @throws IllegalStateException if the current thread is one of them */
    static void checkMayWait(Method method) {
        if (THERE_CAN_BE && Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("the limit of " + MethodName.of(method.getDeclaringClass(), method)
                    + " waits for its decision, which would block "
                    + Thread.currentThread().getName()
                    + ", a thread that serves all requests: return a Mono, Flux or CompletableFuture, or call the method"
                    + " on another thread, such as one of Schedulers.boundedElastic()");
        }
    }
}
