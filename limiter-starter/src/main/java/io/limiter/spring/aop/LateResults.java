package io.limiter.spring.aop;

import io.limiter.spring.annotation.InvalidLimitException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Results of methods whose work ends after the method has returned, and that signal no end. Types are compared by name,
 * because the libraries that have them need not be on the class path.
 */
final class LateResults {

    private static final Set<String> LATE = Set.of(
            "java.util.concurrent.Callable",
            "java.util.concurrent.Future",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");
    private static final Set<String> ENTITY = Set.of("org.springframework.http.HttpEntity");

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private LateResults() {}

    /** @throws InvalidLimitException if the method returns one, or a future, publisher or HTTP entity of one, or suspends */
    static void check(String where, Method method) {
        if (suspends(method)) {
            throw new InvalidLimitException(
                    where,
                    "it would release its permits before the work is done: a suspend function returns when it first"
                            + " suspends. Return a Mono or Flux, limit a function that does not suspend, or use a"
                            + " ConcurrencyLimiter there");
        }
        ResolvableType returned = ResolvableType.forMethodReturnType(method);
        boolean isPublisher = ResultKind.of(method) == ResultKind.PUBLISHER;
        Class<?> late = find(isPublisher ? returned.getGeneric() : returned);
        if (late != null) {
            throw new InvalidLimitException(
                    where,
                    "it would release its permits before the work is done: the method has returned when that of a "
                            + late.getSimpleName()
                            + " begins. Return a CompletableFuture, Mono or Flux that ends with the"
                            + " work, limit the method that does the work, or use a ConcurrencyLimiter there");
        }
    }

    /** Whether it is a suspend function of Kotlin: the compiler adds a last parameter that takes the result. */
    private static boolean suspends(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(CONTINUATION);
    }

    private static @Nullable Class<?> find(ResolvableType returned) {
        Class<?> type = returned.resolve(Object.class);
        if (CompletionStage.class.isAssignableFrom(type)) {
            return find(returned.as(CompletionStage.class).getGeneric());
        }
        if (isOneOf(ENTITY, type)) {
            return find(returned.getGeneric());
        }
        return isOneOf(LATE, type) ? type : null;
    }

    /** Whether a type, a superclass or an interface has one of the names. */
    private static boolean isOneOf(Set<String> names, @Nullable Class<?> type) {
        if (type == null) {
            return false;
        }
        if (names.contains(type.getName()) || isOneOf(names, type.getSuperclass())) {
            return true;
        }
        for (Class<?> each : type.getInterfaces()) {
            if (isOneOf(names, each)) {
                return true;
            }
        }
        return false;
    }
}
