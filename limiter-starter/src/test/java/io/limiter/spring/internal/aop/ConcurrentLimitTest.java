package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.ConcurrencyLimiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Concurrent calls of annotated methods. */
class ConcurrentLimitTest {

    static class Reports {

        @ConcurrentLimit(limit = 1, name = "run", message = "busy")
        public void run(Runnable work) {
            work.run();
        }

        @ConcurrentLimit(name = "keyed", limitType = LimitType.CUSTOM, key = "#{customer}", limit = 2)
        public void runFor(String customer, Runnable work) {
            work.run();
        }

        @ConcurrentLimit(limit = 1, name = "async")
        public CompletableFuture<String> start(CompletableFuture<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "waiting", timeout = 120)
        public void runWhenFree(Runnable work) {
            work.run();
        }

        @ConcurrentLimit(limit = 1, name = "counted")
        @CountLimit(name = "counted", limit = 2, per = "1h")
        public void runCounted(Runnable work) {
            work.run();
        }
    }

    @ConcurrentLimit(limit = 1)
    static class OnType {

        public void first(Runnable work) {
            work.run();
        }

        public void second(Runnable work) {
            work.run();
        }

        @ConcurrentLimit(limit = 2)
        public void wider(Runnable work) {
            work.run();
        }
    }

    interface Greeter {

        @ConcurrentLimit(limit = 1, name = "greeter")
        void greet(Runnable work);
    }

    static class Implementation implements Greeter {

        @Override
        public void greet(Runnable work) {
            work.run();
        }
    }

    @Test
    void a_call_holds_its_permit_until_it_returns() {
        with(reports -> {
            AtomicInteger ran = new AtomicInteger();
            reports.run(() -> {
                ran.incrementAndGet();
                assertThatThrownBy(() -> reports.run(ran::incrementAndGet))
                        .isInstanceOf(RateLimitExceededException.class)
                        .hasMessage("busy");
            });
            reports.run(ran::incrementAndGet);
            assertThat(ran).hasValue(2);
        });
    }

    @Test
    void an_exception_releases_the_permit() {
        with(reports -> {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> reports.run(() -> {
                            throw new StackOverflowError("test");
                        }))
                        .isInstanceOf(StackOverflowError.class);
            }
            reports.run(() -> {});
        });
    }

    @Test
    void each_key_has_permits_of_its_own() {
        with(reports -> reports.runFor("a", () -> {
            reports.runFor("a", () -> {
                assertThatThrownBy(() -> reports.runFor("a", () -> {}))
                        .isInstanceOfSatisfying(RateLimitExceededException.class, rejected -> {
                            assertThat(rejected.keys()).containsExactly("a");
                            assertThat(rejected.getMessage()).startsWith("Too many requests, try again in ");
                            assertThat(rejected.decision().retryAfterSeconds()).isPresent();
                        });
                reports.runFor("b", () -> {});
            });
        }));
    }

    @Test
    void a_future_holds_its_permit_until_it_is_completed() {
        with(reports -> {
            CompletableFuture<String> first = new CompletableFuture<>();
            CompletableFuture<String> result = reports.start(first);
            assertThat(result).isNotDone();
            rejected(reports.start(first));
            first.complete("done");
            assertThat(result).isCompletedWithValue("done");
            CompletableFuture<String> second = new CompletableFuture<>();
            reports.start(second);
            rejected(reports.start(first));
            second.completeExceptionally(new IllegalStateException("test"));
            assertThat(reports.start(first)).isCompletedWithValue("done");
        });
    }

    private static void rejected(CompletableFuture<?> result) {
        assertThat(result)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void a_call_may_wait_for_its_permit() {
        with(reports -> {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            CompletableFuture<Void> first = CompletableFuture.runAsync(() -> reports.runWhenFree(() -> {
                running.countDown();
                await(end);
            }));
            await(running);
            AtomicInteger ran = new AtomicInteger();
            CompletableFuture<Void> second = CompletableFuture.runAsync(
                    () -> reports.runWhenFree(ran::incrementAndGet), work -> new Thread(work).start());
            assertThat(second).isNotDone();
            assertThat(ran).hasValue(0);
            end.countDown();
            first.join();
            second.join();
            assertThat(ran).hasValue(1);
        });
    }

    @Test
    void a_call_that_another_limit_rejects_holds_no_permit() {
        Contexts.local().withBean(Reports.class).run(context -> {
            Reports reports = context.getBean(Reports.class);
            ConcurrencyLimiter limiter = context.getBean(LimiterFactory.class)
                    .with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                    .build("counted", ConcurrencyLimit.of(1));
            reports.runCounted(() -> assertThat(limiter.inUse()).isEqualTo(1));
            reports.runCounted(() -> {});
            assertThatThrownBy(() -> reports.runCounted(() -> {})).isInstanceOf(RateLimitExceededException.class);
            assertThat(limiter.inUse()).isZero();
        });
    }

    @Test
    void on_a_type_each_public_method_is_limited_for_itself() {
        Contexts.local().withBean(OnType.class).run(context -> {
            OnType bean = context.getBean(OnType.class);
            bean.first(() -> {
                assertThatThrownBy(() -> bean.first(() -> {})).isInstanceOf(RateLimitExceededException.class);
                bean.second(() -> {});
                bean.wider(() -> bean.wider(() ->
                        assertThatThrownBy(() -> bean.wider(() -> {})).isInstanceOf(RateLimitExceededException.class)));
            });
        });
    }

    @Test
    void on_an_interface_it_limits_the_implementations() {
        for (String proxyTargetClass : new String[] {"true", "false"}) {
            Contexts.local()
                    .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                    .withBean(Implementation.class)
                    .run(context -> {
                        Greeter greeter = context.getBean(Greeter.class);
                        greeter.greet(() -> assertThatThrownBy(() -> greeter.greet(() -> {}))
                                .isInstanceOf(RateLimitExceededException.class));
                        greeter.greet(() -> {});
                    });
        }
    }

    static class Limit {
        @ConcurrentLimit(limit = 0)
        public void call() {}
    }

    static class Lease {
        @ConcurrentLimit(limit = 1, lease = 0)
        public void call() {}
    }

    static class NoLease {
        @ConcurrentLimit(limit = 1, lease = 0.05)
        public void call() {}
    }

    static class Timeout {
        @ConcurrentLimit(limit = 1, timeout = -1)
        public void call() {}
    }

    static class Prefix {
        @ConcurrentLimit(limit = 1, prefix = "{x}")
        public void call() {}
    }

    static class Key {
        @ConcurrentLimit(limit = 1, key = "#{x}", limitType = LimitType.IP)
        public void call() {}
    }

    static class Ip {
        @ConcurrentLimit(limit = 1, limitType = LimitType.IP)
        public void call() {}
    }

    static class Private {
        @ConcurrentLimit(limit = 1)
        private void call() {}
    }

    static class Final {
        @ConcurrentLimit(limit = 1)
        public final void call() {}
    }

    @ConcurrentLimit(limit = 1)
    static class Nothing {}

    static class OnBeanMethod {
        @Bean
        @ConcurrentLimit(limit = 1)
        public Object made() {
            return new Object();
        }
    }

    static class Publisher {
        @ConcurrentLimit(limit = 1)
        public Mono<Flux<String>> call() {
            return Mono.empty();
        }
    }

    static class OneName {
        @ConcurrentLimit(name = "one", limit = 1)
        public void first() {}

        @ConcurrentLimit(name = "one", limit = 2)
        public void second() {}
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                Arguments.of(Limit.class, "limit must be between 1 and 9007199254740991, was 0"),
                Arguments.of(Lease.class, "lease (seconds) must be between 0.1 and 86400000, was 0"),
                Arguments.of(NoLease.class, "lease (seconds) must be between 0.1 and 86400000, was 0.05"),
                Arguments.of(Timeout.class, "timeout (seconds) must be between 0 and 86400000, was -1"),
                Arguments.of(Prefix.class, "prefix must not contain braces"),
                Arguments.of(Key.class, "has no effect with limitType IP"),
                Arguments.of(Ip.class, "limitType IP needs a web application"),
                Arguments.of(Private.class, "the method is private"),
                Arguments.of(Final.class, "the method is final"),
                Arguments.of(Nothing.class, "it has no public methods"),
                Arguments.of(Publisher.class, "the method has returned when that of a Flux begins. Return a"),
                Arguments.of(OnBeanMethod.class, "the method makes a bean"),
                Arguments.of(OneName.class, "it shares the name 'one' with"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void an_invalid_limit_fails_at_startup(Class<?> type, String problem) {
        Contexts.local()
                .withBean("theBean", type)
                .run(context -> assertThat(context.getStartupFailure())
                        .isNotNull()
                        .extracting(ConcurrentLimitTest::root)
                        .isInstanceOf(InvalidLimitException.class)
                        .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                        .hasMessageContaining(problem));
    }

    private static Throwable root(Throwable failure) {
        Throwable found = failure;
        while (found.getCause() != null && !(found instanceof InvalidLimitException)) {
            found = found.getCause();
        }
        return found;
    }

    private static void with(Consumer<Reports> test) {
        Contexts.local().withBean(Reports.class).run(context -> test.accept(context.getBean(Reports.class)));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
