package io.limiter.spring.internal.aop.result;

import io.limiter.spring.annotation.InvalidLimitException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** How the caller of a method gets its result or a rejection. */
public enum ResultKind {

    /** From the call itself; its thread waits for the check. */
    PLAIN,

    /** From a {@link CompletionStage} or {@link CompletableFuture}. */
    FUTURE,

    /**
     * From a publisher or another reactive type that Spring can adapt. Spring makes one of a {@code suspend} function of Kotlin,
     * too, and resumes its caller with what interceptors make of it.
     */
    PUBLISHER;

    /** Whether Reactor is on the class path. */
    public static final boolean HAS_REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ResultKind.class.getClassLoader());

    private static final boolean HAS_COROUTINES = HAS_REACTOR
            && KotlinDetector.isKotlinReflectPresent()
            && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ResultKind.class.getClassLoader());

    public static ResultKind of(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return FUTURE;
        }
        return adapter(method) == null ? PLAIN : PUBLISHER;
    }

    /** Whether it is a suspend function of Kotlin: the compiler adds a last parameter that takes the result. */
    public static boolean suspends(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /** @throws InvalidLimitException if it is a suspend function, and a library that it needs is missing */
    public static void checkCanSuspend(String where, Method method) {
        if (suspends(method) && !HAS_COROUTINES) {
            throw new InvalidLimitException(
                    where,
                    "a suspend function can be limited only with org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
                            + " org.jetbrains.kotlin:kotlin-reflect on the class path: add both, or limit a function that"
                            + " does not suspend");
        }
    }

    /** What a method returns; of a suspend function, what it resumes its caller with. */
    static ResolvableType returned(Method method) {
        return suspends(method)
                ? ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
                        .getGeneric()
                : ResolvableType.forMethodReturnType(method);
    }

    /** As {@link #adapter(Class)}, for what a method returns; of a suspend function, for what Spring makes of it. */
    public static @Nullable ReactiveAdapter adapter(Method method) {
        ReactiveAdapter adapter = adapter(returned(method).resolve(Object.class));
        if (!suspends(method)) {
            return adapter;
        }
        return HAS_COROUTINES ? adapter(adapter != null && adapter.isMultiValue() ? Flux.class : Mono.class) : null;
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
