package io.limiter.spring.internal.aop.annotated;

import java.lang.reflect.Method;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Controllers and their handler methods, by the names of annotations that need not be on the class path. */
public final class Handlers {

    private static final List<String> CONTROLLERS = List.of(
            "org.springframework.stereotype.Controller", "org.springframework.web.bind.annotation.ControllerAdvice");
    private static final List<String> HTTP = List.of(
            "org.springframework.web.bind.annotation.RequestMapping",
            "org.springframework.web.service.annotation.HttpExchange");
    private static final List<String> OTHERS = List.of(
            "org.springframework.messaging.handler.annotation.MessageMapping",
            "org.springframework.messaging.simp.annotation.SubscribeMapping",
            "org.springframework.messaging.rsocket.annotation.ConnectMapping",
            "org.springframework.messaging.rsocket.service.RSocketExchange",
            "org.springframework.graphql.data.method.annotation.SchemaMapping",
            "org.springframework.graphql.data.method.annotation.BatchMapping",
            "org.springframework.graphql.data.federation.EntityMapping");

    private Handlers() {}

    /** Whether a class is a controller, in which some methods handle requests and others help with them. */
    public static boolean areIn(Class<?> type) {
        return anyOn(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY), CONTROLLERS);
    }

    /** Whether a method of a controller handles requests, and does not only help with them as {@code @ExceptionHandler}s do. */
    static boolean contain(Method method) {
        return handlesHttp(method) || anyOn(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY), OTHERS);
    }

    /** Whether a method of a controller handles HTTP requests. */
    public static boolean handlesHttp(Method method) {
        return anyOn(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY), HTTP);
    }

    private static boolean anyOn(MergedAnnotations annotations, List<String> names) {
        return names.stream().anyMatch(annotations::isPresent);
    }
}
