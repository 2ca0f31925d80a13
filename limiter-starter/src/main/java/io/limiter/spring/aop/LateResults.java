package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Results whose work goes on, or only begins, when the method has returned, and that do not tell when it is done. By their
 * names, because the types are of libraries that need not be there.
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

    private LateResults() {}

    /** The type of the method's result, or of what a stage or an HTTP entity brings, if it is a late one. */
    static @Nullable Class<?> find(Method method) {
        return find(ResolvableType.forMethodReturnType(method));
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

    /** By its own name or that of anything that it extends. */
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
