package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** How the callers of a method hear of a result or a refusal. */
enum CallStyle {

    /** From the call itself, which waits for decisions. */
    DIRECT,

    /** From a {@link CompletionStage} or {@link CompletableFuture}. */
    FUTURE,

    /** From a publisher of Reactor, of at most one value. */
    MONO,

    /** From a publisher of Reactor. */
    FLUX;

    /** By names where the types are of a library that need not be there. */
    static CallStyle of(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned == CompletableFuture.class || returned == CompletionStage.class) {
            return FUTURE;
        }
        return switch (returned.getName()) {
            case "reactor.core.publisher.Mono" -> MONO;
            case "reactor.core.publisher.Flux" -> FLUX;
            default -> DIRECT;
        };
    }
}
