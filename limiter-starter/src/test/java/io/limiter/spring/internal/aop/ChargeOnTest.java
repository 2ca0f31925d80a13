package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Calls that are charged for their outcome. */
class ChargeOnTest {

    record Answer(String status) {}

    /** Each method has ten permits for each key. */
    static class Calls {

        @CountLimit(name = "charge-failure", key = "#{who}", limit = 10, per = "1h", chargeOn = "failure")
        public String failure(String who, Callable<String> work) throws Exception {
            return work.call();
        }

        @CountLimit(name = "charge-success", key = "#{who}", limit = 10, per = "1h", chargeOn = "success")
        public String success(String who, Callable<String> work) throws Exception {
            return work.call();
        }

        @CountLimit(
                name = "charge-expression",
                key = "#{who}",
                limit = 10,
                per = "1h",
                cost = "#{cost}",
                chargeOn = "#{result.status == 'DENIED' or exception != null}")
        public @Nullable Answer expression(String who, int cost, Callable<@Nullable Answer> work) throws Exception {
            return work.call();
        }

        @CountLimit(name = "charge-future", key = "#{who}", limit = 10, per = "1h", chargeOn = "failure")
        public CompletableFuture<String> future(String who, CompletableFuture<String> work) {
            return work;
        }

        @CountLimit(name = "charge-done", key = "#{who}", limit = 10, per = "1h", chargeOn = "success")
        public CompletableFuture<String> done(String who, CompletableFuture<String> work) {
            return work;
        }

        @CountLimit(name = "charge-mono", key = "#{who}", limit = 10, per = "1h", chargeOn = "failure")
        public Mono<String> mono(String who, Mono<String> work) {
            return work;
        }

        @CountLimit(name = "with-lease", key = "#{who}", limit = 10, per = "1h", chargeOn = "failure")
        @ConcurrentLimit(name = "with-lease", key = "#{who}", limit = 1)
        public String withLease(String who, Callable<String> work) throws Exception {
            return work.call();
        }

        @CountLimit(name = "shadow", key = "#{who}", limit = 10, per = "1h", chargeOn = "failure")
        public String shadow(String who, Callable<String> work) throws Exception {
            return work.call();
        }
    }

    private final String who = UUID.randomUUID().toString();

    /** The permits that a limit of ten in an hour has left for a key. */
    static long left(LimiterFactory limiters, String name, String who) {
        return limiters.with(LimiterOptions.NONE.withPrefix("countLimit:"))
                .build(name, FixedWindow.of(10, Duration.ofHours(1)))
                .on(who)
                .peek()
                .remaining();
    }

    private long left(LimiterFactory limiters, String name) {
        return left(limiters, name, who);
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
        backend.run(Calls.class, (calls, limiters) -> {
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
        backend.run(Calls.class, (calls, limiters) -> {
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
        backend.run(Calls.class, (calls, limiters) -> {
            calls.expression(who, 3, () -> new Answer("OK"));
            assertThat(left(limiters, "charge-expression")).isEqualTo(10);
            calls.expression(who, 3, () -> new Answer("DENIED"));
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
    void calls_at_the_same_time_cannot_exceed_the_limit_until_their_outcome_is_known(Backend backend) {
        backend.run(Calls.class, (calls, limiters) -> {
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
        backend.run(Calls.class, (calls, limiters) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> limited = calls.future(who, work);
            awaitCall(work);
            assertThat(left(limiters, "charge-future")).as("until it completes").isEqualTo(9);
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
        backend.run(Calls.class, (calls, limiters) -> {
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
        backend.run(Calls.class, (calls, limiters) -> {
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
    void permits_of_a_call_that_gets_no_lease_are_returned_once(Backend backend) {
        backend.run(Calls.class, (calls, limiters) -> {
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
        Backend.LOCAL.run(
                Calls.class,
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
}
