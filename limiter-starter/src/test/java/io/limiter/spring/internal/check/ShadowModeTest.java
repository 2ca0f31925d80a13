package io.limiter.spring.internal.check;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Limits in shadow mode. */
class ShadowModeTest {

    private static final Decision REJECTION = decision(false, 5, 0, 0, Verdict.NEVER_MICROS, 0);

    static class Limited {

        @CountLimit(name = "alone", limit = 2, per = "1h")
        public String call() {
            return "called";
        }

        @CountLimit(name = "shadow", limit = 2, per = "1h")
        @CountLimit(name = "enforced", limit = 3, per = "1h")
        @CountLimit(name = "larger", limit = 4, per = "1h")
        public void withOthers() {}

        @CountLimit(name = "shadow", limit = 2, per = "1h")
        @CountLimit(name = "enforced", limit = 3, per = "1h")
        public void withOne() {}

        @CountLimit(limit = 1, period = 1, name = "keyless", limitType = LimitType.CUSTOM, key = "#{phone}")
        public String keyless(@Nullable String phone) {
            return "called";
        }

        @CountLimit(name = "costless", limit = 2, per = "1h", cost = "#{cost}")
        public String costless(int cost) {
            return "called";
        }
    }

    /** A customer without a number, and without a {@code toString()} of its own. */
    public static class Customer {

        public int getNumber() {
            throw new UnsupportedOperationException("no number");
        }
    }

    static class Broken {

        @CountLimit(limit = 1, period = 1, name = "key", key = "#{customer.number}")
        public String key(Customer customer) {
            return "called";
        }

        @CountLimit(limit = 1, period = 1, name = "text", key = "#{customer}")
        public String text(Object customer) {
            return "called";
        }

        @CountLimit(limit = 1, period = 1, name = "cost", cost = "#{customer.number}")
        public String cost(Customer customer) {
            return "called";
        }

        @ConcurrentLimit(limit = 1, name = "held", key = "#{customer.number}")
        public String held(Customer customer) {
            return "called";
        }

        @CountLimit(limit = 1, period = 1, name = "text", key = "#{customer}")
        public CompletableFuture<String> later(Object customer) {
            return CompletableFuture.completedFuture("called");
        }

        @CountLimit(name = "another", limit = 2, per = "1h")
        @CountLimit(limit = 1, period = 1, name = "text", key = "#{customer}")
        public String withAnother(Object customer) {
            return "called";
        }
    }

    private static ApplicationContextRunner broken() {
        return Contexts.local().withBean(Broken.class);
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                failure("has no value", Broken::key),
                failure("has no toString() of its own", Broken::text),
                failure("has no value", Broken::cost),
                failure("has no value", Broken::held),
                failure(
                        "has no toString() of its own",
                        (bean, customer) -> bean.later(customer).join()),
                failure("has no toString() of its own", Broken::withAnother));
    }

    private static Arguments failure(String problem, BiFunction<Broken, Customer, String> call) {
        return Arguments.of(problem, call);
    }

    private static ApplicationContextRunner shadow() {
        return Contexts.local().withPropertyValues(notEnforced("alone", "shadow", "keyless", "costless", "slow"));
    }

    private static String[] notEnforced(String... names) {
        return Stream.of(names)
                .map(name -> "limiter.limits." + name + ".enforce=false")
                .toArray(String[]::new);
    }

    @Test
    void it_grants_calls_without_a_key_or_cost() {
        shadow().withBean(Limited.class).run(context -> {
            Limited limited = context.getBean(Limited.class);
            try (LogLines log = new LogLines(RejectionLog.class)) {
                assertThat(limited.keyless(null)).isEqualTo("called");
                assertThat(limited.costless(-1)).isEqualTo("called");
                assertThat(log.all()).hasSize(2).allMatch(line -> line.contains("would have rejected a call"));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("failures")
    void it_grants_calls_whose_key_or_cost_fails(String problem, BiFunction<Broken, Customer, String> call) {
        broken().withPropertyValues(notEnforced("key", "text", "cost", "held")).run(context -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                Broken bean = context.getBean(Broken.class);
                assertThat(call.apply(bean, new Customer())).isEqualTo("called");
                assertThat(call.apply(bean, new Customer())).isEqualTo("called");
                assertThat(log.all()).singleElement(as(STRING)).contains("would have rejected a call", problem);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("failures")
    void enforced_limits_throw_these_failures(String problem, BiFunction<Broken, Customer, String> call) {
        broken().run(context -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                Broken bean = context.getBean(Broken.class);
                assertThatExceptionOfType(RuntimeException.class)
                        .isThrownBy(() -> call.apply(bean, new Customer()))
                        .withMessageContaining(problem);
                assertThat(log.all()).singleElement(as(STRING)).contains("has rejected a call", problem);
            }
        });
    }

    @Test
    void it_takes_permits_and_rejects_no_call() {
        shadow().withBean(Limited.class).run(context -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                Limited limited = context.getBean(Limited.class);
                limited.call();
                assertThat(context.getBean(LimiterFactory.class)
                                .build("alone", FixedWindow.of(2, Duration.ofHours(1)))
                                .peek()
                                .remaining())
                        .isEqualTo(1);
                limited.call();
                assertThat(log.all()).isEmpty();
                assertThat(limited.call()).isEqualTo("called");
                assertThat(limited.call()).isEqualTo("called");
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("INFO @CountLimit for " + Limited.class.getName() + ".call() would have rejected");
            }
        });
    }

    static class Slow {

        @RateLimit(name = "slow", rate = 0.001, burst = 1000, timeout = 2500)
        public void call() {}

        @RateLimit(name = "slow", rate = 0.001, burst = 1000, timeout = 2500)
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("called");
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void it_reserves_permits_and_delays_no_call() {
        shadow().withBean(Slow.class).run(context -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                Slow slow = context.getBean(Slow.class);
                slow.call();
                assertThat(slow.later()).isCompletedWithValue("called");
                slow.call();
                assertThat(log.all()).as("within the timeout").isEmpty();
                assertThat(context.getBean(LimiterFactory.class)
                                .build("slow", 0.001, 1000, 60)
                                .peek()
                                .timeToWait())
                        .isBetween(Duration.ofSeconds(2500), Duration.ofSeconds(3000));
                slow.call();
                assertThat(log.all()).singleElement(as(STRING)).contains(".call() would have rejected");
            }
        });
    }

    @Test
    void it_is_evaluated_after_enforced_limits_and_takes_none_of_their_permits() {
        shadow().withBean(Limited.class).run(context -> {
            Limited limited = context.getBean(Limited.class);
            for (int i = 0; i < 3; i++) {
                limited.withOthers();
            }
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::withOthers);
            assertThat(remaining(context, "enforced", 3)).isZero();
            assertThat(remaining(context, "larger", 4)).isOne();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_call_that_the_others_reject_takes_nothing_from_it(boolean several) {
        shadow().withBean(Limited.class).run(context -> {
            Limited limited = context.getBean(Limited.class);
            assertThat(count(context, "enforced", 3).tryAcquire(3)).isTrue();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(several ? limited::withOthers : limited::withOne);
            assertThat(remaining(context, "shadow", 2)).isEqualTo(2);
        });
    }

    private static long remaining(ApplicationContext context, String name, int limit) {
        return count(context, name, limit).peek().remaining();
    }

    private static Limiter count(ApplicationContext context, String name, int limit) {
        return context.getBean(LimiterFactory.class).build(name, FixedWindow.of(limit, Duration.ofHours(1)));
    }

    @Test
    void it_logs_the_first_rejection_in_a_minute_and_counts_the_others() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
        RejectionLog inShadow = new RejectionLog("the limit", false, nanos::get);
        try (LogLines log = new LogLines(RejectionLog.class)) {
            inShadow.rejected(REJECTION);
            assertThat(log.all())
                    .singleElement(as(STRING))
                    .contains("the limit would have rejected a call, and 0 before it")
                    .contains("retry after never");
            inShadow.rejected(REJECTION);
            nanos.addAndGet(Duration.ofSeconds(60).toNanos() - 1);
            inShadow.rejected(REJECTION);
            assertThat(log.all()).hasSize(1);
            nanos.incrementAndGet();
            inShadow.rejected(REJECTION);
            assertThat(log.all()).hasSize(2).last(as(STRING)).contains("a call, and 2 before it");
            nanos.addAndGet(Duration.ofSeconds(60).toNanos());
            inShadow.rejected(REJECTION);
            assertThat(log.all()).hasSize(3).last(as(STRING)).contains("a call, and 0 before it");
            // A minute from the last line, however late that was.
            nanos.addAndGet(Duration.ofSeconds(100).toNanos());
            inShadow.rejected(REJECTION);
            nanos.addAndGet(Duration.ofSeconds(59).toNanos());
            inShadow.rejected(REJECTION);
            assertThat(log.all()).hasSize(4);
        }
    }
}
