package io.limiter.spring.aop.result;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** How the caller of a method gets its result or a rejection. */
public enum ResultKind {

    /** From the call itself; its thread waits for the check. */
    PLAIN,

    /** From a {@link CompletionStage} or {@link CompletableFuture}. */
    FUTURE,

    /** From a publisher or another reactive type that Spring can adapt. */
    PUBLISHER;

    /** Whether Reactor is on the class path. */
    public static final boolean HAS_REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ResultKind.class.getClassLoader());

    public static ResultKind of(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return FUTURE;
        }
        return adapter(returned) == null ? PLAIN : PUBLISHER;
    }

    /** {@code null} if the type is not reactive, or Reactor is not on the class path to adapt it. */
    public static @Nullable ReactiveAdapter adapter(Class<?> type) {
        if (!HAS_REACTOR || CompletionStage.class.isAssignableFrom(type)) {
            return null;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        // The adapter of a supertype does not make what the method declares.
        return adapter != null && adapter.getReactiveType() == type ? adapter : null;
    }
}
