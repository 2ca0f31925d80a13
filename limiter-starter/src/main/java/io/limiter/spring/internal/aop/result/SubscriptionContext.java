package io.limiter.spring.internal.aop.result;

import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Finds the caller of a subscription in Reactor's context. Reactive web applications have a bean of this type, because there
 * a request moves between threads and only the context moves with it.
 */
public interface SubscriptionContext {

    /**
     * Runs an action in a thread that knows what the context knows of the caller: the address, the user, the request.
     *
     * @param user whether the action needs the user, who may have to be waited for
     * @param form whether it needs the form of the request
     * @return the action's result, or what it throws
     */
    <T> Mono<T> call(ContextView context, boolean user, boolean form, Supplier<T> action);

    /**
     * Whether the current thread calls a handler method for a request that it does not know, and the result is handled as a
     * {@link RecordedResult}.
     */
    boolean knowsRequestLater();

    /** Whether handler methods with plain results are called on threads that may wait, such as virtual ones. */
    boolean plainHandlersMayWait();
}
