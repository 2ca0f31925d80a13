package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.internal.aop.annotated.LimitAnnotations;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.GetExchange;

/** Limits on the type of a controller are for its handler methods. */
class ControllersTest {

    interface Api {

        @GetExchange("/exchanged")
        String exchanged();
    }

    @RestController
    @CountLimit(name = "all", per = "1h", limit = 2)
    static class Limited implements Api {

        @GetMapping("/mapped")
        public String mapped() {
            return "done";
        }

        @Override
        public String exchanged() {
            return "done";
        }

        @ModelAttribute
        public String model() {
            return "model";
        }

        @InitBinder
        public void bind(WebDataBinder binder) {}

        @ExceptionHandler
        public String handle(RateLimitExceededException e) {
            return "handled";
        }

        public String help() {
            return "helped";
        }

        @ModelAttribute
        @CountLimit(limit = 1, name = "own", per = "1h")
        public String limited() {
            return "model";
        }
    }

    @Test
    void only_handler_methods_are_limited_with_their_type() {
        Contexts.local().withBean(Limited.class).run(context -> {
            Limited bean = context.getBean(Limited.class);
            for (int i = 0; i < 3; i++) {
                bean.model();
                bean.bind(new WebDataBinder(null));
                bean.handle(null);
                bean.help();
            }
            bean.mapped();
            bean.exchanged();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(bean::mapped);
        });
    }

    @Test
    void a_limit_on_such_a_method_itself_applies_alone() {
        Contexts.local().withBean(Limited.class).run(context -> {
            Limited bean = context.getBean(Limited.class);
            bean.mapped();
            bean.limited();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(bean::limited);
            bean.mapped();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.springframework.messaging.handler.annotation.MessageMapping",
                "org.springframework.messaging.simp.annotation.SubscribeMapping",
                "org.springframework.messaging.rsocket.annotation.ConnectMapping",
                "org.springframework.graphql.data.federation.EntityMapping"
            })
    void methods_that_handle_messages_are_limited_with_their_type(String annotation) throws Exception {
        Class<?> type = withHandler(annotation);
        assertThat(LimitAnnotations.coverMethod(type.getMethod("handle"), type)).isTrue();
    }

    /** A controller with a method that has an annotation of a library that need not be here. */
    private static Class<?> withHandler(String annotation) {
        DynamicType.Unloaded<? extends Annotation> mapping = new ByteBuddy()
                .makeAnnotation()
                .name(annotation)
                .annotateType(AnnotationDescription.Builder.ofType(Retention.class)
                        .define("value", RetentionPolicy.RUNTIME)
                        .build())
                .make();
        return new ByteBuddy()
                .subclass(Object.class)
                .annotateType(
                        AnnotationDescription.Builder.ofType(Controller.class).build())
                .defineMethod("handle", void.class, Visibility.PUBLIC)
                .intercept(StubMethod.INSTANCE)
                .annotateMethod(AnnotationDescription.Builder.ofType(mapping.getTypeDescription())
                        .build())
                .make()
                .include(mapping)
                .load(ControllersTest.class.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER.allowExistingTypes())
                .getLoaded();
    }

    @ControllerAdvice
    @CountLimit(limit = 1, period = 1)
    static class Advice {

        @ExceptionHandler
        public String handle(RateLimitExceededException e) {
            return "handled";
        }
    }

    @Controller
    @ConcurrentLimit(limit = 1)
    static class WithoutHandlers {

        public String help() {
            return "helped";
        }
    }

    @Test
    void a_limit_for_no_method_fails_at_startup() {
        for (Class<?> type : new Class<?>[] {Advice.class, WithoutHandlers.class}) {
            Contexts.local()
                    .withBean("theBean", type)
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .isInstanceOf(InvalidLimitException.class)
                            .hasMessageStartingWith(
                                    "limit on " + type.getName() + ": it has no public handler methods"));
        }
    }
}
