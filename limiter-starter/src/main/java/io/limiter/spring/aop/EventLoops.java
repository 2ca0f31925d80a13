package io.limiter.spring.aop;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.MethodName;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** The threads that must never block, because they serve all others too. */
final class EventLoops {

    private static final String REMEDY =
            "return a Mono or Flux, or limit a method that is called on another thread, such as"
                    + " one of Schedulers.boundedElastic()";
    private static final boolean THERE_CAN_BE =
            ClassUtils.isPresent("reactor.core.scheduler.NonBlocking", EventLoops.class.getClassLoader());

    private EventLoops() {}

    /** @throws IllegalStateException if the current thread is one of them */
    static void checkMayWait(Method method) {
        if (THERE_CAN_BE && Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("the limit of " + MethodName.of(method.getDeclaringClass(), method)
                    + " waits for its decision, which would block "
                    + Thread.currentThread().getName()
                    + ", a thread that serves all requests: " + REMEDY);
        }
    }

    /**
     * Checks a method that waits for its permits in the thread that calls it.
     *
     * @throws InvalidLimitException if WebFlux calls it on one of these threads
     */
    static void checkHandlerMayWait(String where, Method method, Class<?> beanClass, ApplicationBeans beans) {
        SubscriptionContext subscriptions = areIn(beans);
        if (subscriptions != null
                && Handlers.areIn(beanClass)
                && Handlers.handlesHttp(method)
                && !subscriptions.plainHandlersMayWait()) {
            throw new InvalidLimitException(
                    where,
                    "WebFlux calls this handler method on a thread that serves all requests, and it would wait there for"
                            + " its decision: " + REMEDY);
        }
    }

    /** {@code null} if requests are not handled on such threads. */
    private static @Nullable SubscriptionContext areIn(ApplicationBeans beans) {
        return THERE_CAN_BE ? beans.subscriptionContext() : null;
    }
}
