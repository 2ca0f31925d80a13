package io.limiter.spring.aop;

import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Brings what belongs to a subscription to a thread. There is a bean of this type in reactive web applications, where a
 * request goes from thread to thread and only Reactor's context goes with it.
 */
public interface SubscriptionContext {

    /**
     * Runs an action in a thread that knows the caller as far as the context does: its address, its user, its request.
     *
     * @param user whether the action asks for the user, who may have to be waited for
     * @return the action's result, or what it throws
     */
    <T> Mono<T> call(ContextView context, boolean user, Supplier<T> action);

    /** Whether handler methods with plain results are called on threads that may wait, such as virtual ones. */
    boolean plainHandlersMayWait();
}
