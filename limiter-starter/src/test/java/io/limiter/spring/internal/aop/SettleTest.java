package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.check.RejectionLog;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that are charged for what they turn out to cost. */
class SettleTest {

    record Answer(String status, int tokens) {}

    /** Each method has ten permits for each key. */
    static class Calls {

        @RateLimit(
                name = "settle",
                key = "#{who}",
                rate = 0.001,
                capacity = 10,
                cost = "5",
                settle = "#{result.tokens}")
        @CountLimit(name = "calls", key = "#{who}", limit = 10, per = "1h")
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
                per = "1h",
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
                per = "1h",
                cost = "#{5}",
                settle = "#{result.tokens}")
        public CompletableFuture<Answer> settleFuture(String who, CompletableFuture<Answer> work) {
            return work;
        }

        @CountLimit(
                name = "settle-mono",
                key = "#{who}",
                limit = 10,
                per = "1h",
                cost = "#{5}",
                settle = "#{result.tokens}")
        public Mono<Answer> settleMono(String who, Mono<Answer> work) {
            return work;
        }

        @CountLimit(
                name = "settle-flux",
                key = "#{who}",
                limit = 10,
                per = "1h",
                cost = "#{5}",
                settle = "#{result.tokens}")
        public Flux<Answer> settleFlux(String who, Flux<Answer> work) {
            return work;
        }
    }

    private final String who = UUID.randomUUID().toString();

    private long left(LimiterFactory limiters, String name) {
        return ChargeOnTest.left(limiters, name, who);
    }

    @ParameterizedTest
    @EnumSource
    void the_actual_cost_replaces_the_estimate(Backend backend) {
        backend.run(Calls.class, (calls, limiters) -> {
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
        backend.run(Calls.class, (calls, limiters) -> {
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
        Backend.LOCAL.run(Calls.class, (calls, limiters) -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                assertThat(calls.settleSuccess(who, () -> null)).isNull();
                assertThat(log.all())
                        .singleElement()
                        .asString()
                        .startsWith("WARN A call stays charged for the permits that it took, and 0 before it")
                        .contains("settle '#{result?.tokens}'")
                        .contains("must be a number from 0 to 9007199254740991, was null");
            }
            assertThat(left(limiters, "settle-success")).isEqualTo(5);
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_debt_rejects_later_calls(Backend backend) {
        backend.run(Calls.class, (calls, limiters) -> {
            calls.settle(who, new Answer("OK", 25));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> calls.settle(who, new Answer("OK", 1)))
                    .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(10));
            assertThat(left(limiters, "calls")).as("of the other limit").isEqualTo(9);
        });
    }
}
