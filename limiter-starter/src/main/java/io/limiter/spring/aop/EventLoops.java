package io.limiter.spring.aop;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.key.MethodName;
import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** The threads that must never wait, because they serve all others too. */
final class EventLoops {

    /** What to do instead of waiting for permits. */
    static final String TAKE = "return a Mono or Flux";

    /** What to do instead of waiting for a place. */
    static final String HOLD =
            "call acquireAsync of a ConcurrencyLimiter and close its lease when the work is done, as with"
                    + " Mono.usingWhen";

    private static final String ELSEWHERE =
            ", or limit a method that is called on another thread, such as one of" + " Schedulers.boundedElastic()";
    private static final boolean THERE_CAN_BE =
            ClassUtils.isPresent("reactor.core.scheduler.NonBlocking", EventLoops.class.getClassLoader());

    private EventLoops() {}

    /** @throws IllegalStateException if the current thread is one of them */
    static void checkMayWait(Method method, String remedy) {
        if (THERE_CAN_BE && Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("the limit of " + MethodName.of(method.getDeclaringClass(), method)
                    + " waits for its decision, which would block "
                    + Thread.currentThread().getName()
                    + ", a thread that serves all requests: " + remedy + ELSEWHERE);
        }
    }

    /**
     * Checks a method that waits for its permits in the thread that calls it.
     *
     * @throws InvalidLimitException if WebFlux calls it on one of these threads
     */
    static void checkHandlerMayWait(String where, Method method, Class<?> beanClass, ApplicationBeans beans) {
        checkHandler(where, method, beanClass, beans, TAKE);
    }

    /**
     * Checks a method that waits for its place in the thread that calls it.
     *
     * @throws InvalidLimitException if it is to be called on one of these threads: by WebFlux, or because it returns a
     *     future
     */
    static void checkMayHold(String where, Method method, Class<?> beanClass, ApplicationBeans beans) {
        if (!CompletionStage.class.isAssignableFrom(method.getReturnType())) {
            checkHandler(where, method, beanClass, beans, HOLD);
        } else if (areIn(beans) != null) {
            throw new InvalidLimitException(
                    where,
                    "it returns a future, and would wait for its place before, which in a WebFlux application blocks a"
                            + " thread that serves all requests: " + HOLD + ELSEWHERE + ", and returns a plain result");
        }
    }

    private static void checkHandler(
            String where, Method method, Class<?> beanClass, ApplicationBeans beans, String remedy) {
        SubscriptionContext subscriptions = areIn(beans);
        if (subscriptions != null
                && Handlers.areIn(beanClass)
                && Handlers.handlesHttp(method)
                && !subscriptions.plainHandlersMayWait()) {
            throw new InvalidLimitException(
                    where,
                    "WebFlux calls this handler method on a thread that serves all requests, and it would wait there for"
                            + " its decision: " + remedy + ELSEWHERE);
        }
    }

    /** {@code null} if requests are not handled on such threads. */
    private static @Nullable SubscriptionContext areIn(ApplicationBeans beans) {
        return THERE_CAN_BE ? beans.subscriptionContext() : null;
    }
}
