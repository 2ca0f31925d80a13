package io.limiter.spring.internal.web;

import io.limiter.spring.internal.key.LazyLookup;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * The application's {@link ExceptionHandler} methods for all exceptions, which most applications have. They answer what nobody
 * expected, so they would turn a 429 into a 500.
 */
public final class CatchAllHandlers {

    private static final Set<Class<?>> ALL = Set.of(Throwable.class, Exception.class, RuntimeException.class);

    private final Supplier<List<Advice>> advice;
    private final Map<Question, Boolean> answers = new ConcurrentHashMap<>();
    private final Map<Class<? extends Throwable>, Boolean> answersOfAnyAdvice = new ConcurrentHashMap<>();

    /** @param ofLimiter a type whose beans are no advice of the application */
    public CatchAllHandlers(ApplicationContext context, Class<?> ofLimiter) {
        // Spring's own search would ask the limiter's advice for its order, which depends on what the search finds.
        this.advice = new LazyLookup<>(() -> Arrays.stream(
                        BeanFactoryUtils.beanNamesForAnnotationIncludingAncestors(context, ControllerAdvice.class))
                .filter(name -> !context.isTypeMatch(name, ofLimiter))
                .flatMap(name -> advice(context, name))
                .toList());
    }

    private static Stream<Advice> advice(ApplicationContext context, String name) {
        ControllerAdvice annotation = context.findAnnotationOnBean(name, ControllerAdvice.class);
        if (annotation == null) {
            return Stream.empty();
        }
        ControllerAdviceBean bean = new ControllerAdviceBean(name, context, annotation);
        Class<?> type = bean.getBeanType();
        return type == null ? Stream.empty() : Stream.of(new Advice(bean, new ExceptionHandlerMethodResolver(type)));
    }

    private record Advice(ControllerAdviceBean bean, ExceptionHandlerMethodResolver methods) {}

    /** @param target the class behind the controller if that is a proxy of interfaces, otherwise the controller */
    private record Question(
            Class<? extends Throwable> exception,
            @Nullable Class<?> controller,
            @Nullable Class<?> target) {}

    /**
     * Whether an exception of a handler would be answered by a method for all exceptions, and no method names it or one of its
     * causes. Methods are those of the controller, and of the advice that applies to it.
     *
     * @param handler {@code null} if it is no method of a controller, so that advice for some controllers does not apply
     */
    public boolean answer(Class<? extends Throwable> exception, @Nullable HandlerMethod handler) {
        Question question = handler == null
                ? new Question(exception, null, null)
                : new Question(exception, handler.getBeanType(), target(handler));
        return answers.computeIfAbsent(question, this::find);
    }

    /** The same for the methods of all advice, whichever controllers it applies to, and of no controller. */
    public boolean answerByAnyAdvice(Class<? extends Throwable> exception) {
        return answersOfAnyAdvice.computeIfAbsent(
                exception, asked -> find(asked, advice.get().stream().map(Advice::methods)));
    }

    /** As Spring MVC does: a proxy of interfaces is in another package than its target, and lacks its annotations. */
    private static Class<?> target(HandlerMethod handler) {
        Class<?> controller = handler.getBeanType();
        return Proxy.isProxyClass(controller) ? AopUtils.getTargetClass(handler.getBean()) : controller;
    }

    private boolean find(Question question) {
        Class<?> controller = question.controller();
        Stream<ExceptionHandlerMethodResolver> own =
                controller == null ? Stream.empty() : Stream.of(new ExceptionHandlerMethodResolver(controller));
        Stream<ExceptionHandlerMethodResolver> applicable = advice.get().stream()
                .filter(each -> each.bean().isApplicableToBeanType(question.target()))
                .map(Advice::methods);
        return find(question.exception(), Stream.concat(own, applicable));
    }

    private static boolean find(
            Class<? extends Throwable> exception, Stream<ExceptionHandlerMethodResolver> resolvers) {
        List<Method> methods = resolvers
                .map(each -> each.resolveMethodByExceptionType(exception))
                .filter(Objects::nonNull)
                .toList();
        return !methods.isEmpty() && methods.stream().noneMatch(method -> names(method, exception));
    }

    private static boolean names(Method method, Class<? extends Throwable> exception) {
        ExceptionHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
        Class<?>[] named =
                handler == null || handler.value().length == 0 ? method.getParameterTypes() : handler.value();
        return Arrays.stream(named)
                .anyMatch(type -> type.isAssignableFrom(exception) && !ALL.contains(type) && type != Object.class);
    }
}
