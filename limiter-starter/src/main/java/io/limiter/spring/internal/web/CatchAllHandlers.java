package io.limiter.spring.internal.web;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * The application's {@link ExceptionHandler} methods for all exceptions, which most applications have. They answer what nobody
 * expected, so they would turn a 429 into a 500.
 */
public final class CatchAllHandlers {

    private static final Set<Class<?>> ALL = Set.of(Throwable.class, Exception.class, RuntimeException.class);

    private final Supplier<Stream<Class<?>>> advice;
    private final Map<Question, Boolean> answers = new ConcurrentHashMap<>();
    private volatile @Nullable List<ExceptionHandlerMethodResolver> resolvers;

    /** @param ofLimiter a type whose beans are no advice of the application */
    public CatchAllHandlers(ApplicationContext context, Class<?> ofLimiter) {
        this.advice = () -> Arrays.stream(context.getBeanNamesForAnnotation(ControllerAdvice.class))
                .<@Nullable Class<?>>map(context::getType)
                .filter(Objects::nonNull)
                .<Class<?>>map(ClassUtils::getUserClass)
                .filter(type -> !ofLimiter.isAssignableFrom(type));
    }

    private record Question(
            Class<? extends Throwable> exception, @Nullable Class<?> controller) {}

    /**
     * Whether an exception would be answered by a method for all exceptions, and no method names it or one of its causes.
     *
     * @param controller has methods of its own; {@code null} if only advice counts
     */
    public boolean answer(Class<? extends Throwable> exception, @Nullable Class<?> controller) {
        return answers.computeIfAbsent(
                new Question(exception, controller), asked -> find(asked.exception(), asked.controller()));
    }

    private boolean find(Class<? extends Throwable> exception, @Nullable Class<?> controller) {
        Stream<ExceptionHandlerMethodResolver> own =
                controller == null ? Stream.empty() : Stream.of(new ExceptionHandlerMethodResolver(controller));
        List<Method> methods = Stream.concat(own, ofAdvice().stream())
                .map(each -> each.resolveMethodByExceptionType(exception))
                .filter(Objects::nonNull)
                .toList();
        return !methods.isEmpty() && methods.stream().noneMatch(method -> names(method, exception));
    }

    private List<ExceptionHandlerMethodResolver> ofAdvice() {
        List<ExceptionHandlerMethodResolver> known = resolvers;
        if (known == null) {
            known = advice.get().map(ExceptionHandlerMethodResolver::new).toList();
            resolvers = known;
        }
        return known;
    }

    private static boolean names(Method method, Class<? extends Throwable> exception) {
        ExceptionHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
        Class<?>[] named =
                handler == null || handler.value().length == 0 ? method.getParameterTypes() : handler.value();
        return Arrays.stream(named)
                .anyMatch(type -> type.isAssignableFrom(exception) && !ALL.contains(type) && type != Object.class);
    }
}
