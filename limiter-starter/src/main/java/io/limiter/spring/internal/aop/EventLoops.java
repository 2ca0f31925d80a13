package io.limiter.spring.internal.aop;

import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.internal.aop.annotated.Handlers;
import io.limiter.spring.internal.aop.result.CurrentEventLoop;
import io.limiter.spring.internal.aop.result.ResultKind;
import io.limiter.spring.internal.aop.result.SubscriptionContext;
import io.limiter.spring.internal.key.MethodName;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/** The threads of event loops, which must not block, because each of them serves many requests. */
final class EventLoops {

    private static final String REMEDY =
            "return a Mono or Flux, or limit a method that is called on another thread, such as"
                    + " one of Schedulers.boundedElastic()";

    private EventLoops() {}

    /**
     * Checks a call that waits for its decision. Threads of Netty are Lettuce's, too, and one that waits there waits for itself.
     *
     * @throws IllegalStateException if the current thread is one of an event loop
     */
    static void checkMayWait(Method method) {
        if (ResultKind.HAS_REACTOR && Schedulers.isInNonBlockingThread() || CurrentEventLoop.find() != null) {
            throw new IllegalStateException("the limit of " + MethodName.of(method.getDeclaringClass(), method)
                    + " waits for its decision, which would block "
                    + Thread.currentThread().getName()
                    + ", a thread that serves all requests: " + REMEDY);
        }
    }

    /**
     * Checks a method that is charged by the status of its response, and is not checked within a subscription.
     *
     * @throws InvalidLimitException in WebFlux, where only a subscription knows its request
     */
    static void checkKnowsResponse(String where, ApplicationBeans beans) {
        if (subscriptions(beans) != null) {
            throw new InvalidLimitException(
                    where,
                    "chargeOn cannot be HTTP statuses, because in WebFlux only a method that returns a Mono or Flux knows"
                            + " its request: return a Mono or Flux, or use failure, success or an expression");
        }
    }

    private static @Nullable SubscriptionContext subscriptions(ApplicationBeans beans) {
        return ResultKind.HAS_REACTOR ? beans.find(SubscriptionContext.class) : null;
    }

    /**
     * Checks a method that waits for its decision in the calling thread.
     *
     * @throws InvalidLimitException if WebFlux calls it on an event loop
     */
    static void checkHandlerMayWait(String where, Method method, Class<?> beanClass, ApplicationBeans beans) {
        SubscriptionContext subscriptions = subscriptions(beans);
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
}
