package io.limiter.spring.internal.aop.result;

import io.limiter.spring.annotation.InvalidLimitException;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

/**
 * Results of methods whose work ends after the method has returned, and that signal no end. The future or publisher that a
 * method returns does signal it, so only its values are checked; within a value no end is seen. Types are compared by name,
 * because the libraries that have them need not be on the class path.
 */
public final class LateResults {

    private static final Set<String> LATE = Set.of(
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Future",
            "java.util.concurrent.Flow$Publisher",
            "kotlinx.coroutines.Deferred",
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.reactive.function.server.ServerResponse",
            "org.springframework.web.servlet.function.ServerResponse",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");
    private static final Set<String> ENTITY = Set.of("org.springframework.http.HttpEntity");
    private static final boolean HAS_ENTITY =
            ClassUtils.isPresent("org.springframework.http.HttpEntity", LateResults.class.getClassLoader());

    /** Which of the types a class is; {@code null} if none. Each call of a method reads it. */
    private static final ClassValue<@Nullable Class<?>> LATE_TYPE = new ClassValue<>() {
        @Override
        protected @Nullable Class<?> computeValue(Class<?> type) {
            return find(LATE, type);
        }
    };

    private LateResults() {}

    /** What the end of a method is needed for, and what else can be done. */
    public enum Use {
        LEASE("release its permits before the work is done", "use a ConcurrencyLimiter there"),
        CHARGE("settle its permits before the outcome is known", "use a Reservation there");

        private final String tooEarly;
        private final String remedy;

        Use(String tooEarly, String remedy) {
            this.tooEarly = tooEarly;
            this.remedy = remedy;
        }
    }

    /** @throws InvalidLimitException if the method returns one, or a future, publisher or HTTP entity of one */
    public static void check(String where, Method method, Use use) {
        Class<?> late = declaredIn(valueOf(method));
        if (late != null) {
            throw new InvalidLimitException(where, problem(late, use));
        }
    }

    /**
     * The failure of a call that returned one, or an HTTP entity of one, behind another type; {@code null} if it did not.
     *
     * @param value the result, or a value of the future or the publisher that is the result
     */
    public static @Nullable IllegalStateException failure(String where, @Nullable Object value, Use use) {
        Object body = HAS_ENTITY ? bodyOf(value) : value;
        Class<?> late = body == null ? null : LATE_TYPE.get(body.getClass());
        return late == null ? null : new IllegalStateException(where + ": " + problem(late, use));
    }

    private static @Nullable Object bodyOf(@Nullable Object value) {
        return value instanceof HttpEntity<?> entity ? entity.getBody() : value;
    }

    private static String problem(Class<?> late, Use use) {
        return "it would " + use.tooEarly + ": the method has returned when that of a "
                + late.getSimpleName()
                + " begins. Return a CompletableFuture, Mono or Flux that ends with the"
                + " work, limit the method that does the work, or " + use.remedy;
    }

    /** What the method returns, or the value of the future or publisher that it returns. */
    public static ResolvableType valueOf(Method method) {
        ResolvableType returned = ResultKind.returned(method);
        ReactiveAdapter adapter = ResultKind.adapter(returned.resolve(Object.class));
        // A suspend function resumes its caller with a future or a Mono as with any value, and nothing waits for it.
        if (ResultKind.suspends(method) && (adapter == null || !adapter.isMultiValue())) {
            return returned;
        }
        if (adapter != null) {
            return adapter.isNoValue() ? ResolvableType.forClass(Void.class) : returned.getGeneric();
        }
        return CompletionStage.class.isAssignableFrom(returned.resolve(Object.class))
                ? returned.as(CompletionStage.class).getGeneric()
                : returned;
    }

    private static @Nullable Class<?> declaredIn(ResolvableType value) {
        Class<?> type = value.resolve(Object.class);
        if (find(ENTITY, type) != null) {
            return declaredIn(value.getGeneric());
        }
        return find(LATE, type) == null ? null : type;
    }

    /** The type, superclass or interface with one of the names; {@code null} if there is none. */
    private static @Nullable Class<?> find(Set<String> names, @Nullable Class<?> type) {
        if (type == null || names.contains(type.getName())) {
            return type;
        }
        Class<?> found = find(names, type.getSuperclass());
        for (Class<?> each : type.getInterfaces()) {
            found = found == null ? find(names, each) : found;
        }
        return found;
    }
}
