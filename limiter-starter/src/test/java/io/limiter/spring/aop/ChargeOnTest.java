package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.check.RejectionLog;
import io.limiter.testing.Eventually;
import io.reactivex.rxjava3.core.Completable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.web.context.request.async.DeferredResult;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that are charged for their outcome, and for what they turn out to cost. */
class ChargeOnTest {

    private static final Duration HOUR = Duration.ofHours(1);

    record Answer(String status, int tokens) {}

    /** Each method has ten permits for each key. */
    static class Calls {

        @CountLimit(name = "charge-failure", key = "#{who}", limit = 10, period = "1h", chargeOn = "failure")
        public String failure(String who, Callable<String> work) throws Exception {
            return work.call();
        }

        @CountLimit(name = "charge-success", key = "#{who}", limit = 10, period = "1h", chargeOn = "success")
        public String success(String who, Callable<String> work) throws Exception {
            return work.call();
        }

        @CountLimit(
                name = "charge-expression",
                key = "#{who}",
                limit = 10,
                period = "1h",
                cost = "#{cost}",
                chargeOn = "#{result.status == 'DENIED' or exception != null}")
        public @Nullable Answer expression(String who, int cost, Callable<@Nullable Answer> work) throws Exception {
            return work.call();
        }

        @CountLimit(name = "charge-future", key = "#{who}", limit = 10, period = "1h", chargeOn = "failure")
        public CompletableFuture<String> future(String who, CompletableFuture<String> work) {
            return work;
        }

        @CountLimit(name = "charge-done", key = "#{who}", limit = 10, period = "1h", chargeOn = "success")
        public CompletableFuture<String> done(String who, CompletableFuture<String> work) {
            return work;
        }

        @CountLimit(name = "charge-mono", key = "#{who}", limit = 10, period = "1h", chargeOn = "failure")
        public Mono<String> mono(String who, Mono<String> work) {
            return work;
        }

        @RateLimit(
                name = "settle",
                key = "#{who}",
                rate = 0.001,
                capacity = 10,
                permits = 5,
                settle = "#{result.tokens}")
        @CountLimit(name = "calls", key = "#{who}", limit = 10, period = "1h")
        public @Nullable Answer settle(String who, @Nullable Answer answer) {
            if (answer == null) {
                throw new IllegalStateException("no answer");
            }
            return answer;
        }

        @CountLimit(
                name = "settle-success",
                key = "#{who}",
                limit = 10,
                period = "1h",
                cost = "#{5}",
                chargeOn = "success",
                settle = "#{result?.tokens}")
        public @Nullable Answer settleSuccess(String who, Callable<@Nullable Answer> work) throws Exception {
            return work.call();
        }

        @CountLimit(
                name = "settle-future",
                key = "#{who}",
                limit = 10,
                period = "1h",
                cost = "#{5}",
                settle = "#{result.tokens}")
        public CompletableFuture<Answer> settleFuture(String who, CompletableFuture<Answer> work) {
            return work;
        }

        @CountLimit(
                name = "settle-mono",
                key = "#{who}",
                limit = 10,
                period = "1h",
                cost = "#{5}",
                settle = "#{result.tokens}")
        public Mono<Answer> settleMono(String who, Mono<Answer> work) {
            return work;
        }

        @CountLimit(
                name = "settle-flux",
                key = "#{who}",
                limit = 10,
                period = "1h",
                cost = "#{5}",
                settle = "#{result.tokens}")
        public Flux<Answer> settleFlux(String who, Flux<Answer> work) {
            return work;
        }

        @CountLimit(name = "with-lease", key = "#{who}", limit = 10, period = "1h", chargeOn = "failure")
        @ConcurrentLimit(name = "with-lease", key = "#{who}", limit = 1)
        public String withLease(String who, Callable<String> work) throws Exception {
            return work.call();
        }

        @CountLimit(name = "shadow", key = "#{who}", limit = 10, period = "1h", chargeOn = "failure")
        public String shadow(String who, Callable<String> work) throws Exception {
            return work.call();
        }
    }

    private static final String PREFIX = "countLimit:";

    private final String who = UUID.randomUUID().toString();

    private interface Check {
        void of(Calls calls, LimiterFactory limiters) throws Exception;
    }

    private static void run(Backend backend, Check check, String... settings) {
        backend.run(
                Calls.class,
                context -> check.of(context.getBean(Calls.class), context.getBean(LimiterFactory.class)),
                settings);
    }

    private long left(LimiterFactory limiters, String name) {
        return limiters.withPrefix(PREFIX)
                .build(name, FixedWindow.of(10, HOUR))
                .on(who)
                .peek()
                .remaining();
    }

    /** The permits are taken before the call, which the limiter then follows. */
    private static void awaitCall(CompletableFuture<?> work) {
        Eventually.that(() -> assertThat(work.getNumberOfDependents()).isPositive());
    }

    private static String fail() {
        throw new IllegalStateException("wrong");
    }

    @ParameterizedTest
    @EnumSource
    void only_failures_are_charged(Backend backend) {
        run(backend, (calls, limiters) -> {
            for (int i = 0; i < 30; i++) {
                assertThat(calls.failure(who, () -> "right")).isEqualTo("right");
            }
            assertThat(left(limiters, "charge-failure")).isEqualTo(10);
            for (int i = 0; i < 10; i++) {
                assertThatThrownBy(() -> calls.failure(who, ChargeOnTest::fail)).hasMessage("wrong");
            }
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> calls.failure(who, () -> "right"));
        });
    }

    @ParameterizedTest
    @EnumSource
    void only_successes_are_charged(Backend backend) {
        run(backend, (calls, limiters) -> {
            for (int i = 0; i < 30; i++) {
                assertThatThrownBy(() -> calls.success(who, ChargeOnTest::fail)).hasMessage("wrong");
            }
            calls.success(who, () -> "right");
            assertThat(left(limiters, "charge-success")).isEqualTo(9);
        });
    }

    @ParameterizedTest
    @EnumSource
    void an_expression_decides_over_the_result_and_the_exception(Backend backend) {
        run(backend, (calls, limiters) -> {
            calls.expression(who, 3, () -> new Answer("OK", 0));
            assertThat(left(limiters, "charge-expression")).isEqualTo(10);
            calls.expression(who, 3, () -> new Answer("DENIED", 0));
            assertThat(left(limiters, "charge-expression")).isEqualTo(7);
            assertThatThrownBy(() -> calls.expression(who, 2, () -> {
                        throw new IllegalStateException("wrong");
                    }))
                    .hasMessage("wrong");
            assertThat(left(limiters, "charge-expression")).isEqualTo(5);
            calls.expression(who, 1, () -> null);
            assertThat(left(limiters, "charge-expression"))
                    .as("charged, because the expression reads a property of null")
                    .isEqualTo(4);
        });
    }

    @ParameterizedTest
    @EnumSource
    void calls_at_the_same_time_cannot_exceed_the_limit_meanwhile(Backend backend) {
        run(backend, (calls, limiters) -> {
            int threads = 16;
            CountDownLatch rejectedOrRunning = new CountDownLatch(threads);
            AtomicInteger running = new AtomicInteger();
            AtomicInteger rejected = new AtomicInteger();
            List<CompletableFuture<Void>> all = IntStream.range(0, threads)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                try {
                                    calls.failure(who, () -> {
                                        running.incrementAndGet();
                                        rejectedOrRunning.countDown();
                                        rejectedOrRunning.await();
                                        return "right";
                                    });
                                } catch (RateLimitExceededException e) {
                                    rejected.incrementAndGet();
                                    rejectedOrRunning.countDown();
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            action -> new Thread(action).start()))
                    .toList();
            all.forEach(CompletableFuture::join);
            assertThat(running).hasValue(10);
            assertThat(rejected).hasValue(6);
            assertThat(left(limiters, "charge-failure")).as("all came back").isEqualTo(10);
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_future_is_charged_when_it_ends(Backend backend) {
        run(backend, (calls, limiters) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> limited = calls.future(who, work);
            awaitCall(work);
            assertThat(left(limiters, "charge-future")).as("meanwhile").isEqualTo(9);
            work.complete("right");
            assertThat(limited.join()).isEqualTo("right");
            assertThat(left(limiters, "charge-future")).isEqualTo(10);
            assertThatThrownBy(
                            calls.future(who, CompletableFuture.failedFuture(new IllegalStateException("wrong")))::join)
                    .hasRootCauseMessage("wrong");
            assertThat(left(limiters, "charge-future")).isEqualTo(9);
            CompletableFuture<String> never = new CompletableFuture<>();
            CompletableFuture<String> cancelled = calls.future(who, never);
            awaitCall(never);
            assertThat(cancelled.cancel(true)).isTrue();
            assertThat(left(limiters, "charge-future"))
                    .as("after a cancellation")
                    .isEqualTo(8);
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_call_that_is_cancelled_stays_charged_because_its_outcome_is_unknown(Backend backend) {
        run(backend, (calls, limiters) -> {
            CompletableFuture<String> never = new CompletableFuture<>();
            CompletableFuture<String> cancelled = calls.done(who, never);
            awaitCall(never);
            assertThat(cancelled.cancel(true)).isTrue();
            assertThatThrownBy(
                            calls.done(who, CompletableFuture.failedFuture(new IllegalStateException("wrong")))::join)
                    .hasRootCauseMessage("wrong");
            assertThat(left(limiters, "charge-done")).isEqualTo(9);
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_publisher_is_charged_with_each_subscription_when_it_ends(Backend backend) {
        run(backend, (calls, limiters) -> {
            Mono<String> right = calls.mono(who, Mono.just("right"));
            assertThat(right.block()).isEqualTo("right");
            assertThat(right.block()).isEqualTo("right");
            assertThat(left(limiters, "charge-mono")).isEqualTo(10);
            assertThatThrownBy(() -> calls.mono(who, Mono.error(new IllegalStateException("wrong")))
                            .block())
                    .hasMessage("wrong");
            assertThat(left(limiters, "charge-mono")).isEqualTo(9);
            CountDownLatch called = new CountDownLatch(1);
            Disposable subscription = calls.mono(who, Mono.<String>never().doOnSubscribe(none -> called.countDown()))
                    .subscribe();
            called.await();
            subscription.dispose();
            assertThat(left(limiters, "charge-mono")).as("after a cancellation").isEqualTo(8);
        });
    }

    @ParameterizedTest
    @EnumSource
    void the_actual_cost_replaces_the_estimate(Backend backend) {
        run(backend, (calls, limiters) -> {
            calls.settleSuccess(who, () -> new Answer("OK", 2));
            assertThat(left(limiters, "settle-success")).isEqualTo(8);
            calls.settleSuccess(who, () -> new Answer("OK", 7));
            assertThat(left(limiters, "settle-success")).isEqualTo(1);
            calls.settleFuture(who, CompletableFuture.completedFuture(new Answer("OK", 2)))
                    .join();
            assertThat(left(limiters, "settle-future")).isEqualTo(8);
            calls.settleMono(who, Mono.just(new Answer("OK", 3))).block();
            assertThat(left(limiters, "settle-mono")).isEqualTo(7);
            calls.settleFlux(who, Flux.just(new Answer("OK", 1), new Answer("END", 4)))
                    .blockLast();
            assertThat(left(limiters, "settle-flux")).as("by its last value").isEqualTo(6);
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_call_that_fails_is_charged_its_estimate_unless_charge_on_returns_it(Backend backend) {
        run(backend, (calls, limiters) -> {
            assertThatThrownBy(calls.settleFuture(
                            who, CompletableFuture.failedFuture(new IllegalStateException("wrong")))::join)
                    .hasRootCauseMessage("wrong");
            assertThat(left(limiters, "settle-future")).isEqualTo(5);
            assertThatThrownBy(() -> calls.settleSuccess(who, () -> {
                        throw new IllegalStateException("wrong");
                    }))
                    .hasMessage("wrong");
            assertThat(left(limiters, "settle-success")).isEqualTo(10);
        });
    }

    @Test
    void a_result_that_makes_no_cost_leaves_the_estimate_charged_and_is_logged() {
        run(Backend.LOCAL, (calls, limiters) -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                assertThat(calls.settleSuccess(who, () -> null)).isNull();
                assertThat(log.all())
                        .singleElement()
                        .asString()
                        .startsWith("WARN A call stays charged for the permits that it took, and 0 before it")
                        .contains("settle '#{result?.tokens}'")
                        .contains("must be a whole number from 0 to 2147483647, was null");
            }
            assertThat(left(limiters, "settle-success")).isEqualTo(5);
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_debt_rejects_later_calls(Backend backend) {
        run(backend, (calls, limiters) -> {
            calls.settle(who, new Answer("OK", 25));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> calls.settle(who, new Answer("OK", 1)))
                    .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(10));
            assertThat(left(limiters, "calls")).as("of the other limit").isEqualTo(9);
        });
    }

    @ParameterizedTest
    @EnumSource
    void permits_of_a_call_that_gets_no_lease_are_returned_once(Backend backend) {
        run(backend, (calls, limiters) -> {
            assertThat(calls.withLease(who, () -> {
                        assertThatExceptionOfType(RateLimitExceededException.class)
                                .isThrownBy(() -> calls.withLease(who, () -> "inner"));
                        return "outer";
                    }))
                    .isEqualTo("outer");
            assertThatThrownBy(() -> calls.withLease(who, ChargeOnTest::fail)).hasMessage("wrong");
            assertThat(left(limiters, "with-lease")).isEqualTo(9);
        });
    }

    @Test
    void shadow_mode_charges_the_same_and_returns_only_what_it_has_taken() {
        run(
                Backend.LOCAL,
                (calls, limiters) -> {
                    for (int i = 0; i < 20; i++) {
                        calls.shadow(who, () -> "right");
                    }
                    assertThat(left(limiters, "shadow")).isEqualTo(10);
                    for (int i = 0; i < 12; i++) {
                        assertThatThrownBy(() -> calls.shadow(who, ChargeOnTest::fail))
                                .hasMessage("wrong");
                    }
                    assertThat(left(limiters, "shadow")).isZero();
                    calls.shadow(who, () -> "right");
                    assertThat(left(limiters, "shadow"))
                            .as("it would have been rejected")
                            .isZero();
                },
                "limiter.limits.shadow.enforce=false");
    }

    static class Unknown {
        @CountLimit(limit = 1, period = "1s", chargeOn = "failed")
        public String call() {
            return "";
        }
    }

    static class UnknownName {
        @CountLimit(limit = 1, period = "1s", chargeOn = "#{outcome == null}")
        public String call(String phone) {
            return phone;
        }
    }

    static class TwoExpressions {
        @CountLimit(limit = 1, period = "1s", chargeOn = "#{result}#{exception}")
        public String call() {
            return "";
        }
    }

    static class SettlesNothing {
        @CountLimit(limit = 1, period = "1s", settle = "#{result}")
        public void call() {}
    }

    static class SettlesCompletable {
        @CountLimit(limit = 1, period = "1s", settle = "#{result}")
        public Completable call() {
            return Completable.complete();
        }
    }

    static class SettlesFailures {
        @CountLimit(limit = 1, period = "1s", chargeOn = "failure", settle = "#{result}")
        public int call() {
            return 1;
        }
    }

    static class SettlesLater {
        @CountLimit(limit = 1, period = "1s", chargeOn = "4xx", settle = "#{result}")
        public int call() {
            return 1;
        }
    }

    static class Late {
        @CountLimit(limit = 1, period = "1s", chargeOn = "failure")
        public DeferredResult<String> call() {
            return new DeferredResult<>();
        }
    }

    static class Statuses {
        @CountLimit(limit = 1, period = "1s", chargeOn = "401, 403")
        public String call() {
            return "";
        }
    }

    static class Writes {
        @CountLimit(limit = 1, period = "1s", chargeOn = "#{result.clear()}")
        public Map<String, String> call() {
            return Map.of();
        }
    }

    static List<Arguments> invalid() {
        return List.of(
                Arguments.of(
                        Unknown.class,
                        "chargeOn must be always, failure, success, HTTP statuses such as 401,403 or 4xx"),
                Arguments.of(UnknownName.class, "'outcome', which is not an argument"),
                Arguments.of(
                        TwoExpressions.class,
                        "must be one expression over the result, the exception and the arguments"),
                Arguments.of(SettlesNothing.class, "needs a result, and the method has none"),
                Arguments.of(SettlesCompletable.class, "needs a result, and the method has none"),
                Arguments.of(SettlesFailures.class, "has no effect with chargeOn failure"),
                Arguments.of(SettlesLater.class, "use chargeOn success, or leave one of them out"),
                Arguments.of(Late.class, "settle its permits before the outcome is known"),
                Arguments.of(Statuses.class, "only in a web application"),
                Arguments.of(Writes.class, "must not use clear()"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void what_cannot_work_prevents_startup(Class<?> bean, String message) {
        Contexts.local()
                .withBean(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfAny(InvalidLimitException.class, IllegalArgumentException.class)
                        .hasMessageContaining(message));
    }
}
