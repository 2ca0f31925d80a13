package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Methods that return before their work is done: a concurrency limit on them fails the start. */
class LateResultsTest {

    static class Task {
        @ConcurrentLimit
        public Callable<String> call() {
            return () -> "";
        }
    }

    static class Plain {
        @ConcurrentLimit
        public Future<String> call() {
            return new FutureTask<>(() -> "");
        }
    }

    static class Deferred {
        @ConcurrentLimit
        public DeferredResult<String> call() {
            return new DeferredResult<>();
        }
    }

    static class Web {
        @ConcurrentLimit
        public WebAsyncTask<String> call() {
            return new WebAsyncTask<>(() -> "");
        }
    }

    static class Streamed {
        @ConcurrentLimit
        public StreamingResponseBody call() {
            return out -> {};
        }
    }

    static class InEntity {
        @ConcurrentLimit
        public ResponseEntity<StreamingResponseBody> call() {
            return ResponseEntity.ok(out -> {});
        }
    }

    static class InStage {
        @ConcurrentLimit
        public CompletableFuture<ResponseEntity<StreamingResponseBody>> call() {
            return new CompletableFuture<>();
        }
    }

    @ConcurrentLimit
    static class Emitter {
        public SseEmitter call() {
            return new SseEmitter();
        }
    }

    static class Suspending {
        @ConcurrentLimit
        public Object call(String argument, Continuation<? super String> continuation) {
            return argument;
        }
    }

    static class NotLate {
        @RateLimit
        public Object suspending(Continuation<? super String> continuation) {
            return "";
        }

        @ConcurrentLimit
        public List<Callable<String>> tasks() {
            return List.of();
        }

        @ConcurrentLimit
        public ResponseEntity<String> entity() {
            return ResponseEntity.ok("");
        }

        @ConcurrentLimit
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
                Arguments.of(Emitter.class, "that of a SseEmitter begins"),
                Arguments.of(
                        Suspending.class,
                        "@ConcurrentLimit for " + Suspending.class.getName()
                                + ".call(java.lang.String,kotlin.coroutines.Continuation): "));
    }

    @ParameterizedTest
    @MethodSource("late")
    void results_whose_work_is_done_later_fail_the_start(Class<?> type, String problem) {
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
    void results_that_are_done_when_they_are_there_are_limited() {
        Contexts.local()
                .withBean(NotLate.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
