package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.ConcurrencyLimiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.check.RejectionLog;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import kotlin.Metadata;
import kotlin.coroutines.Continuation;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The application fails to start, or a call fails, if a concurrency limit is on a method that returns before its work is done. */
class LateResultsTest {

    static class Task {
        @ConcurrentLimit(limit = 1)
        public Callable<String> call() {
            return () -> "";
        }
    }

    static class Plain {
        @ConcurrentLimit(limit = 1)
        public Future<String> call() {
            return new FutureTask<>(() -> "");
        }
    }

    static class Deferred {
        @ConcurrentLimit(limit = 1)
        public DeferredResult<String> call() {
            return new DeferredResult<>();
        }
    }

    static class Web {
        @ConcurrentLimit(limit = 1)
        public WebAsyncTask<String> call() {
            return new WebAsyncTask<>(() -> "");
        }
    }

    static class Streamed {
        @ConcurrentLimit(limit = 1)
        public StreamingResponseBody call() {
            return out -> {};
        }
    }

    static class InEntity {
        @ConcurrentLimit(limit = 1)
        public ResponseEntity<StreamingResponseBody> call() {
            return ResponseEntity.ok(out -> {});
        }
    }

    static class InStage {
        @ConcurrentLimit(limit = 1)
        public CompletableFuture<ResponseEntity<StreamingResponseBody>> call() {
            return new CompletableFuture<>();
        }
    }

    static class StageInEntity {
        @ConcurrentLimit(limit = 1)
        public ResponseEntity<CompletableFuture<String>> call() {
            return ResponseEntity.ok(new CompletableFuture<>());
        }
    }

    static class Functional {
        @ConcurrentLimit(limit = 1)
        public ServerResponse call() {
            return ServerResponse.ok().build();
        }
    }

    static class ReactiveFunctional {
        @ConcurrentLimit(limit = 1)
        public Mono<org.springframework.web.reactive.function.server.ServerResponse> call() {
            return org.springframework.web.reactive.function.server.ServerResponse.ok()
                    .build();
        }
    }

    @ConcurrentLimit(limit = 1)
    static class Emitter {
        public SseEmitter call() {
            return new SseEmitter();
        }
    }

    @Metadata
    static class Suspending {
        @RateLimit(rate = 1)
        public Object call(String argument, Continuation<? super String> continuation) {
            return argument;
        }
    }

    static class NotLate {
        @ConcurrentLimit(limit = 1)
        public List<Callable<String>> tasks() {
            return List.of();
        }

        @ConcurrentLimit(limit = 1)
        public ResponseEntity<String> entity() {
            return ResponseEntity.ok("");
        }

        @ConcurrentLimit(limit = 1)
        public CompletableFuture<ResponseEntity<?>> stage() {
            return new CompletableFuture<>();
        }
    }

    static Stream<Arguments> late() {
        return Stream.of(
                Arguments.of(Task.class, "that of a Callable begins"),
                Arguments.of(Plain.class, "that of a Future begins"),
                Arguments.of(Deferred.class, "that of a DeferredResult begins"),
                Arguments.of(Web.class, "that of a WebAsyncTask begins"),
                Arguments.of(Streamed.class, "that of a StreamingResponseBody begins"),
                Arguments.of(InEntity.class, "that of a StreamingResponseBody begins"),
                Arguments.of(InStage.class, "that of a StreamingResponseBody begins"),
                Arguments.of(StageInEntity.class, "that of a CompletableFuture begins"),
                Arguments.of(Functional.class, "that of a ServerResponse begins"),
                Arguments.of(ReactiveFunctional.class, "that of a ServerResponse begins"),
                Arguments.of(Emitter.class, "that of a SseEmitter begins"));
    }

    @ParameterizedTest
    @MethodSource("late")
    void results_whose_work_is_done_later_fail_at_startup(Class<?> type, String problem) {
        Contexts.local()
                .withBean("theBean", type)
                .run(context -> assertThat(context.getStartupFailure())
                        .isNotNull()
                        .rootCause()
                        .isInstanceOf(InvalidLimitException.class)
                        .hasMessageContaining(problem)
                        .hasMessageContaining("use a ConcurrencyLimiter there"));
    }

    @Test
    void a_suspend_function_without_the_library_that_it_needs_fails_at_startup() {
        Contexts.local()
                .withBean("theBean", Suspending.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(InvalidLimitException.class)
                        .hasMessageContaining("@RateLimit for " + Suspending.class.getName()
                                + ".call(java.lang.String,kotlin.coroutines.Continuation): a suspend function")
                        .hasMessageContaining("add both"));
    }

    @Test
    void results_that_are_done_when_they_are_there_are_limited() {
        Contexts.local()
                .withBean(NotLate.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Methods whose types say nothing about their results. */
    static class Undeclared {

        @ConcurrentLimit(limit = 1, name = "undeclared")
        public @Nullable Object plain(@Nullable Object result) {
            return result;
        }

        @ConcurrentLimit(limit = 1, name = "undeclared")
        public ResponseEntity<?> entity(@Nullable Object body) {
            return ResponseEntity.ok(body);
        }

        @ConcurrentLimit(limit = 1, name = "undeclared")
        public CompletableFuture<Object> future(CompletableFuture<Object> result) {
            return result;
        }

        @ConcurrentLimit(limit = 1, name = "undeclared")
        public Mono<Object> mono(Object value) {
            return Mono.just(value);
        }

        @ConcurrentLimit(limit = 1, name = "undeclared")
        public Flux<Object> flux(Object... values) {
            return Flux.just(values);
        }
    }

    private static final class OwnFuture extends CompletableFuture<Object> {}

    static Stream<Arguments> lateObjects() {
        StreamingResponseBody streamed = out -> {};
        Callable<String> task = () -> "";
        return Stream.of(
                Arguments.of(task, "Callable"),
                Arguments.of(new FutureTask<>(task), "Future"),
                Arguments.of(new DeferredResult<>(), "DeferredResult"),
                Arguments.of(new WebAsyncTask<>(task), "WebAsyncTask"),
                Arguments.of(streamed, "StreamingResponseBody"),
                Arguments.of(new SseEmitter(), "ResponseBodyEmitter"),
                Arguments.of(ServerResponse.ok().build(), "ServerResponse"),
                Arguments.of(Completable.complete(), "CompletableSource"),
                Arguments.of(Maybe.just(""), "MaybeSource"),
                Arguments.of(Observable.just(""), "ObservableSource"),
                Arguments.of(Single.just(""), "SingleSource"),
                Arguments.of(Flux.just(""), "Publisher"));
    }

    @ParameterizedTest
    @MethodSource("lateObjects")
    void results_that_no_type_declares_fail_the_call_and_hold_no_permit(Object late, String type) {
        undeclared((bean, limiter) -> Stream.<ThrowingCallable>of(
                        () -> bean.plain(late),
                        () -> bean.plain(ResponseEntity.ok(late)),
                        () -> bean.entity(late),
                        () -> get(bean.plain(CompletableFuture.completedFuture(late))),
                        () -> get(bean.future(CompletableFuture.completedFuture(late))),
                        () -> get(bean.future(CompletableFuture.completedFuture(ResponseEntity.ok(late)))),
                        () -> bean.mono(late).block(),
                        () -> bean.mono(ResponseEntity.ok(late)).block(),
                        () -> bean.flux("first", late).blockLast())
                .forEach(call -> {
                    assertThatExceptionOfType(IllegalStateException.class)
                            .isThrownBy(call)
                            .withMessageContaining("@ConcurrentLimit for " + Undeclared.class.getName() + ".")
                            .withMessageContaining("that of a " + type + " begins");
                    assertThat(limiter.inUse()).isZero();
                }));
    }

    @Test
    void a_future_in_an_entity_fails_the_call() {
        undeclared((bean, limiter) -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> bean.entity(new CompletableFuture<>()))
                    .withMessageContaining("that of a Future begins");
            assertThat(limiter.inUse()).isZero();
        });
    }

    @Test
    void other_results_that_no_type_declares_are_returned() {
        undeclared((bean, limiter) -> {
            List<Callable<String>> tasks = List.of(() -> "");
            assertThat(bean.plain(tasks)).isSameAs(tasks);
            assertThat(bean.plain(null)).isNull();
            assertThat(bean.entity(null).getBody()).isNull();
            assertThat(bean.entity(tasks).getBody()).isSameAs(tasks);
            assertThat(bean.mono(tasks).block()).isSameAs(tasks);
            assertThat(bean.flux(1, "two", tasks).collectList().block()).containsExactly(1, "two", tasks);
        });
    }

    @Test
    void a_future_that_no_type_declares_holds_the_permit_until_it_is_completed() {
        undeclared((bean, limiter) -> {
            CompletableFuture<Object> work = new CompletableFuture<>();
            Object result = bean.plain(work);
            assertThat(limiter.inUse()).isOne();
            work.complete("done");
            assertThat(limiter.inUse()).isZero();
            assertThat(get(result)).isEqualTo("done");
            CompletableFuture<Object> failed = CompletableFuture.failedFuture(new IllegalArgumentException("test"));
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> get(bean.plain(failed)));
            CompletableFuture<Object> cancelled = new CompletableFuture<>();
            assertThat(bean.plain(cancelled))
                    .isInstanceOfSatisfying(CompletableFuture.class, future -> future.cancel(true));
            assertThat(cancelled).isCancelled();
            assertThat(limiter.inUse()).isZero();
            CompletableFuture<Object> own = new OwnFuture();
            assertThat(bean.plain(own)).isSameAs(own);
            assertThat(limiter.inUse()).isOne();
            own.complete("done");
            assertThat(limiter.inUse()).isZero();
        });
    }

    @Test
    void in_shadow_mode_late_results_are_logged_and_returned() {
        Callable<String> task = () -> "";
        undeclared(
                (bean, limiter) -> {
                    try (LogLines log = new LogLines(RejectionLog.class)) {
                        assertThat(bean.plain(task)).isSameAs(task);
                        assertThat(bean.entity(task).getBody()).isSameAs(task);
                        assertThat(get(bean.future(CompletableFuture.completedFuture(task))))
                                .isSameAs(task);
                        assertThat(bean.mono(task).block()).isSameAs(task);
                        assertThat(log.all())
                                .hasSize(4)
                                .allMatch(line -> line.contains("would have rejected a call")
                                        && line.contains("that of a Callable begins"));
                    }
                },
                "limiter.limits.undeclared.enforce=false");
    }

    private static void undeclared(BiConsumer<Undeclared, ConcurrencyLimiter> test, String... properties) {
        Contexts.local()
                .withPropertyValues(properties)
                .withBean(Undeclared.class)
                .run(context -> test.accept(
                        context.getBean(Undeclared.class),
                        context.getBean(LimiterFactory.class)
                                .with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                                .build("undeclared", ConcurrencyLimit.of(1))));
    }

    /** The value of a future that is completed, or what it fails with. */
    private static Object get(@Nullable Object future) {
        assertThat(future)
                .isInstanceOfSatisfying(
                        CompletableFuture.class, it -> assertThat(it).isDone());
        try {
            return ((CompletableFuture<?>) Objects.requireNonNull(future)).join();
        } catch (CompletionException e) {
            throw (RuntimeException) Objects.requireNonNull(e.getCause());
        }
    }
}
