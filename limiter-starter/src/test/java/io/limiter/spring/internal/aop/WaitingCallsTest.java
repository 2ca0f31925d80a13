package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Calls that wait for the permits of a limit that counts. */
class WaitingCallsTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    static class Service {

        @CountLimit(limit = 1, name = "plain", period = 1, timeout = 600)
        public String plain() {
            return "called";
        }

        @CountLimit(limit = 1, name = "log", kind = CountLimit.Kind.SLIDING_LOG, period = 1, timeout = 600)
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("called");
        }

        @CountLimit(limit = 1, name = "counter", kind = CountLimit.Kind.SLIDING_COUNTER, period = 1, timeout = 600)
        public Mono<String> mono() {
            return Mono.just("called");
        }

        @CountLimit(limit = 1, name = "set", period = 1, timeout = 600)
        @RateLimit(name = "set", rate = 1000)
        public String several() {
            return "called";
        }

        @CountLimit(limit = 1, name = "too-long", per = "1d", timeout = 600)
        public String windowTooLong() {
            return "called";
        }

        @CountLimit(limit = 1, name = "later", per = "1h", timeout = 7200)
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("called");
        }

        @CountLimit(limit = 1, name = "later-charged", per = "1h", timeout = 7200, chargeOn = "success")
        public CompletableFuture<String> laterCharged() {
            return CompletableFuture.completedFuture("called");
        }

        @CountLimit(limit = 1, name = "subscribed", per = "1h", timeout = 7200)
        public Mono<String> subscribed() {
            return Mono.just("called");
        }

        @RateLimit(name = "queue", kind = RateLimit.Kind.LEAKY_QUEUE, rate = 0.001, capacity = 5, timeout = 0.5)
        public void queue() {}

        @RateLimit(name = "meter", kind = RateLimit.Kind.LEAKY_BUCKET, rate = 10, capacity = 1, timeout = 600)
        public void meter() {}
    }

    private static void run(Consumer<ApplicationContext> test, String... properties) {
        Contexts.local().withBean(Service.class).withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    @Test
    void a_call_that_would_be_rejected_waits_for_the_next_window() {
        run(context -> {
            Service service = context.getBean(Service.class);
            for (int i = 0; i < 3; i++) {
                assertThat(service.plain()).isEqualTo("called");
                assertThat(service.several()).isEqualTo("called");
                assertThat(service.future().join()).isEqualTo("called");
                assertThat(service.mono().block(LONG)).isEqualTo("called");
                service.meter();
            }
        });
    }

    @Test
    void a_window_that_ends_after_the_timeout_rejects_immediately() {
        run(context -> {
            Service service = context.getBean(Service.class);
            service.windowTooLong();
            assertThatThrownBy(service::windowTooLong)
                    .isInstanceOfSatisfying(
                            RateLimitExceededException.class,
                            e -> assertThat(e.decision().retryAfter().orElseThrow())
                                    .isGreaterThan(LONG));
        });
    }

    @Test
    void a_timeout_shortens_the_wait_in_a_leaky_queue() {
        run(context -> {
            Service service = context.getBean(Service.class);
            service.queue();
            assertThatThrownBy(service::queue).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void a_future_and_a_publisher_wait_without_a_thread_until_they_are_cancelled() {
        run(context -> {
            Service service = context.getBean(Service.class);
            service.later().join();
            service.subscribed().block(LONG);
            CompletableFuture<String> waiting = service.later();
            Disposable subscription = service.subscribed().subscribe();
            assertThat(waiting).isNotDone();
            assertThat(subscription.isDisposed()).isFalse();
            assertThat(waits(context, "later")).isZero();
            waiting.cancel(true);
            subscription.dispose();
            assertThat(waits(context, "later")).as("the wait has ended").isEqualTo(1);
            assertThat(waits(context, "subscribed")).isEqualTo(1);
        });
    }

    private static long waits(ApplicationContext context, String name) {
        return context.getBean(LimiterFactory.class).statistics().totals().stream()
                .filter(totals -> totals.name().equals(name))
                .mapToLong(LimiterTotals::waits)
                .sum();
    }

    @Test
    void the_configured_timeout_wins() {
        run(
                context -> {
                    Service service = context.getBean(Service.class);
                    service.later().join();
                    assertThat(service.later()).isCompletedExceptionally();
                },
                "limiter.limits.later.timeout=0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixed-window", "sliding-log", "sliding-counter"})
    void every_kind_that_counts_can_have_a_timeout_in_configuration(String kind) {
        run(
                context -> {
                    Service service = context.getBean(Service.class);
                    service.windowTooLong();
                    service.windowTooLong();
                },
                "limiter.limits.too-long.kind=" + kind,
                "limiter.limits.too-long.limit=1",
                "limiter.limits.too-long.per=500ms",
                "limiter.limits.too-long.timeout=10m");
    }

    @Test
    void in_shadow_mode_no_call_waits_and_one_that_would_have_waited_is_no_rejection() {
        run(
                context -> {
                    Service service = context.getBean(Service.class);
                    for (int i = 0; i < 2; i++) {
                        assertThat(service.later()).isCompletedWithValue("called");
                        assertThat(service.laterCharged()).isCompletedWithValue("called");
                    }
                    assertThat(context.getBean(LimiterFactory.class)
                                    .statistics()
                                    .totals())
                            .allMatch(totals -> totals.rejected() == 0);
                },
                "limiter.limits.later.enforce=false",
                "limiter.limits.later-charged.enforce=false");
    }
}
