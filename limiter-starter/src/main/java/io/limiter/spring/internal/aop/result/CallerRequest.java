package io.limiter.spring.internal.aop.result;

import java.util.function.UnaryOperator;

/**
 * The request in which a limited call is made, for the thread that goes on with the call. Servlet applications have a bean of this
 * type.
 */
@FunctionalInterface
public interface CallerRequest {

    /** Keeps what the current thread knows of its request, and returns what runs actions with it in other threads. */
    UnaryOperator<Runnable> capture();
}
