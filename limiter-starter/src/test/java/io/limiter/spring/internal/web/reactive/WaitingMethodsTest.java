package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A WebFlux application fails to start if a method would wait on a thread of the event loop in each call. */
class WaitingMethodsTest {

    @RestController
    static class Plain {

        @GetMapping("/")
        @CountLimit(limit = 1, period = 1)
        public String call() {
            return "done";
        }
    }

    @RestController
    @CountLimit(limit = 1, period = 1)
    static class PlainOnType {

        @GetMapping("/")
        public String call() {
            return "done";
        }
    }

    @RestController
    static class PlainConcurrent {

        @GetMapping("/")
        @ConcurrentLimit(limit = 1)
        public String call() {
            return "done";
        }
    }

    static class FutureConcurrent {

        @ConcurrentLimit(limit = 1)
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class MonoConcurrent {

        @ConcurrentLimit(limit = 1)
        public Mono<String> call() {
            return Mono.just("done");
        }
    }

    /** On whatever thread they are called. */
    static class Service {

        @CountLimit(limit = 1, period = 1)
        public String call() {
            return "done";
        }

        @ConcurrentLimit(limit = 1)
        public String concurrent() {
            return "done";
        }
    }

    @RestController
    static class Reactive {

        @GetMapping("/")
        @CountLimit(limit = 1, period = 1)
        public Mono<String> call() {
            return Mono.just("done");
        }

        @GetMapping("/future")
        @CountLimit(limit = 1, period = 1)
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @RestController
    @EnableAsync
    static class Asynchronous {

        @Async
        @GetMapping("/")
        @CountLimit(limit = 1, period = 1)
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class PlainByStatus {

        @CountLimit(limit = 1, period = 1, chargeOn = "401")
        public String call() {
            return "done";
        }
    }

    static class FutureByStatus {

        @CountLimit(limit = 1, period = 1, chargeOn = "4xx")
        public CompletableFuture<String> call() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {PlainByStatus.class, FutureByStatus.class})
    void methods_that_do_not_know_their_response_cannot_be_charged_by_its_status(Class<?> type) {
        Contexts.reactive()
                .withBean("theBean", type)
                .run(context -> assertThat(root(context.getStartupFailure()))
                        .isInstanceOf(InvalidLimitException.class)
                        .hasMessageContaining(type.getName() + ".call(): chargeOn cannot be HTTP statuses")
                        .hasMessageContaining("return a Mono or Flux, or use failure, success or an expression"));
    }

    static Stream<Arguments> waiting() {
        return Stream.of(
                Arguments.of(Plain.class, "@CountLimit for %s.call(): WebFlux calls this handler method on a thread"),
                Arguments.of(Plain.class, "return a Mono or Flux, or limit a method that is called on another thread"),
                Arguments.of(PlainOnType.class, "@CountLimit for %s.call(): WebFlux calls this handler method"),
                Arguments.of(
                        PlainConcurrent.class, "@ConcurrentLimit for %s.call(): WebFlux calls this handler method"),
                Arguments.of(
                        PlainConcurrent.class, "return a Mono or Flux, or limit a method that is called on another"));
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void handler_methods_that_wait_fail_at_startup(Class<?> type, String problem) {
        Contexts.reactive()
                .withBean("theBean", type)
                .run(context -> assertThat(root(context.getStartupFailure()))
                        .isInstanceOf(InvalidLimitException.class)
                        .hasMessageContaining(problem.replace("%s", type.getName())));
    }

    private static Throwable root(Throwable failure) {
        assertThat(failure).as("start-up failure").isNotNull();
        return NestedExceptionUtils.getMostSpecificCause(failure);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {Service.class, Reactive.class, Asynchronous.class, FutureConcurrent.class, MonoConcurrent.class})
    void methods_that_do_not_wait_or_are_no_handlers_do_not_fail_at_startup(Class<?> type) {
        Contexts.reactive()
                .withBean("theBean", type)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void servlet_applications_may_wait() {
        for (Class<?> type :
                new Class<?>[] {Plain.class, PlainConcurrent.class, FutureConcurrent.class, Service.class}) {
            Contexts.web()
                    .withBean("theBean", type)
                    .run(context -> assertThat(context).hasNotFailed());
        }
    }
}
