package io.limiter.spring.aop;

import java.lang.reflect.Method;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The controllers of an application and their handler methods, by the names of annotations that need not be there. */
final class Handlers {

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

    /** Whether a framework calls some methods of the class for each request, and others to help with it. */
    static boolean areIn(Class<?> type) {
        return anyOn(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY), CONTROLLERS);
    }

    /** Whether a method of such a class handles requests, rather than helps with them as {@code @ExceptionHandler}s do. */
    static boolean contain(Method method) {
        return handlesHttp(method) || anyOn(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY), OTHERS);
    }

    /** Whether a method of such a class handles requests over HTTP. */
    static boolean handlesHttp(Method method) {
        return anyOn(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY), HTTP);
    }

    private static boolean anyOn(MergedAnnotations annotations, List<String> names) {
        return names.stream().anyMatch(annotations::isPresent);
    }
}
