package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.ConcurrencyLimiter;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.check.RejectionLog;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.springframework.context.ApplicationContext;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Permits that calls hold, with whatever else limits can do, in this process and over Redis. */
class HeldPermitsTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);

    /** Each is called with a key of its own test. */
    static class Reports {

        @ConcurrentLimit(name = "held-cost", limitType = LimitType.CUSTOM, key = "#{who}", limit = 3, cost = "#{pages}")
        public void pages(String who, int pages, Runnable work) {
            work.run();
        }

        @ConcurrentLimit(
                limit = 1,
                name = "held-condition",
                limitType = LimitType.CUSTOM,
                key = "#{who}",
                condition = "#{pages > 1}")
        public void large(String who, int pages, Runnable work) {
            work.run();
        }

        @ConcurrentLimit(limit = 1, name = "held-shadow", limitType = LimitType.CUSTOM, key = "#{who}")
        public void shadow(String who, Runnable work) {
            work.run();
        }

        @ConcurrentLimit(limit = 1, name = "held-shadow", limitType = LimitType.CUSTOM, key = "#{who}")
        public Mono<String> shadowMono(String who, Mono<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-mono", limitType = LimitType.CUSTOM, key = "#{who}", timeout = 60)
        public Mono<String> mono(String who, Mono<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-flux", limitType = LimitType.CUSTOM, key = "#{who}")
        public Flux<String> flux(String who, Flux<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-publisher", limitType = LimitType.CUSTOM, key = "#{who}")
        public Publisher<String> publisher(String who, Publisher<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-flow", limitType = LimitType.CUSTOM, key = "#{who}")
        public Flow.Publisher<String> flow(String who, Flow.Publisher<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-future", limitType = LimitType.CUSTOM, key = "#{who}", timeout = 60)
        public CompletableFuture<String> future(String who, CompletableFuture<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-both", limitType = LimitType.CUSTOM, key = "#{who}")
        @CountLimit(name = "held-both", limit = 2, per = "1h", limitType = LimitType.CUSTOM, key = "#{who}")
        @RateLimit(name = "held-both", rate = 0.001, burst = 2000, limitType = LimitType.CUSTOM, key = "#{who}")
        public void both(String who, Runnable work) {
            work.run();
        }

        @ConcurrentLimit(limit = 1, name = "held-both", limitType = LimitType.CUSTOM, key = "#{who}", cost = "#{held}")
        @CountLimit(name = "held-both", limit = 2, per = "1h", limitType = LimitType.CUSTOM, key = "#{who}")
        public CompletableFuture<String> bothLater(String who, int held, CompletableFuture<String> work) {
            return work;
        }

        @ConcurrentLimit(limit = 1, name = "held-path", limitType = LimitType.CUSTOM, key = "#{who}")
        @CountLimit(
                name = "held-path",
                limit = 2,
                per = "1h",
                key = {"#{who}", "#{who}"})
        public void inSlot(String who, Runnable work) {
            work.run();
        }
    }

    private final String who = UUID.randomUUID().toString();

    @ParameterizedTest
    @EnumSource
    void a_call_holds_as_many_permits_as_it_costs(Backend backend) {
        run(backend, (context, reports) -> {
            reports.pages(who, 2, () -> {
                assertThat(inUse(context, "held-cost", 3)).isEqualTo(2);
                rejected(() -> reports.pages(who, 2, () -> {}));
                reports.pages(who, 1, () -> {});
                reports.pages(who, 0, () -> reports.pages(who, 0, () -> {}));
            });
            rejected(() -> reports.pages(who, 4, () -> {}));
            assertThat(inUse(context, "held-cost", 3)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_call_to_which_the_limit_does_not_apply_holds_none(Backend backend) {
        run(
                backend,
                (context, reports) -> reports.large(who, 2, () -> {
                    rejected(() -> reports.large(who, 2, () -> {}));
                    reports.large(who, 1, () -> {});
                    assertThat(inUse(context, "held-condition", 1)).isOne();
                }));
    }

    @ParameterizedTest
    @EnumSource
    void in_shadow_mode_permits_are_held_and_no_call_is_rejected(Backend backend) {
        run(backend, (context, reports) -> {
            try (LogLines log = new LogLines(RejectionLog.class)) {
                reports.shadow(who, () -> {
                    eventually(
                            () -> assertThat(inUse(context, "held-shadow", 1)).isOne());
                    reports.shadow(who, () -> {
                        eventually(() -> assertThat(log.all())
                                .singleElement()
                                .asString()
                                .contains(".shadow(", "would have rejected a call"));
                    });
                    assertThat(inUse(context, "held-shadow", 1)).isOne();
                    assertThat(reports.shadowMono(who, Mono.just("done")).block(LONG))
                            .isEqualTo("done");
                });
                eventually(() -> assertThat(inUse(context, "held-shadow", 1)).isZero());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_mono_holds_its_permits_until_it_ends(Backend backend) {
        run(backend, (context, reports) -> {
            Sinks.One<String> work = Sinks.one();
            Mono<String> unsubscribed = reports.mono(who, work.asMono());
            assertThat(inUse(context, "held-mono", 1)).isZero();
            CompletableFuture<String> first = unsubscribed.toFuture();
            eventually(() -> assertThat(inUse(context, "held-mono", 1)).isOne());
            CompletableFuture<String> second =
                    reports.mono(who, Mono.just("second")).toFuture();
            assertThat(second).as("waits without a thread").isNotDone();
            work.tryEmitValue("first");
            assertThat(get(first)).isEqualTo("first");
            assertThat(get(second)).isEqualTo("second");
            assertThat(inUse(context, "held-mono", 1)).isZero();
            CompletableFuture<String> failed = reports.mono(who, Mono.error(new IllegalStateException("test")))
                    .toFuture();
            assertThat(failed).failsWithin(LONG).withThrowableThat().withMessageContaining("test");
            assertThat(inUse(context, "held-mono", 1)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_cancelled_mono_releases_its_permits(Backend backend) {
        run(backend, (context, reports) -> {
            Disposable first = reports.mono(who, Mono.never()).subscribe();
            eventually(() -> assertThat(inUse(context, "held-mono", 1)).isOne());
            Disposable waiting = reports.mono(who, Mono.never()).subscribe();
            waiting.dispose();
            first.dispose();
            eventually(() -> assertThat(inUse(context, "held-mono", 1)).isZero());
            assertThat(reports.mono(who, Mono.just("next")).block(LONG)).isEqualTo("next");
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_flux_holds_its_permits_for_all_its_values_or_as_many_as_are_taken(Backend backend) {
        run(backend, (context, reports) -> {
            Sinks.Many<String> work = Sinks.many().unicast().onBackpressureBuffer();
            CompletableFuture<String> first = reports.flux(who, work.asFlux())
                    .take(2)
                    .reduce(String::concat)
                    .toFuture();
            eventually(() -> assertThat(inUse(context, "held-flux", 1)).isOne());
            work.tryEmitNext("a");
            rejected(() -> reports.flux(who, Flux.just("x")).collectList().block(LONG));
            work.tryEmitNext("b");
            assertThat(get(first)).isEqualTo("ab");
            eventually(() -> assertThat(inUse(context, "held-flux", 1)).isZero());
            assertThat(reports.flux(who, Flux.just("x", "y")).collectList().block(LONG))
                    .containsExactly("x", "y");
            assertThat(inUse(context, "held-flux", 1)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void other_publishers_hold_their_permits_until_they_end(Backend backend) {
        run(backend, (context, reports) -> {
            Flux<String> inside = Flux.defer(() -> Flux.just("used " + inUse(context, "held-publisher", 1)));
            assertThat(Flux.from(reports.publisher(who, inside)).blockLast(LONG))
                    .isEqualTo("used 1");
            assertThat(inUse(context, "held-publisher", 1)).isZero();
            Flux<String> flow = Flux.defer(() -> Flux.just("used " + inUse(context, "held-flow", 1)));
            assertThat(JdkFlowAdapter.flowPublisherToFlux(
                                    reports.flow(who, JdkFlowAdapter.publisherToFlowPublisher(flow)))
                            .blockLast(LONG))
                    .isEqualTo("used 1");
            assertThat(inUse(context, "held-flow", 1)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_future_waits_for_its_permits_without_a_thread_and_holds_them_until_it_is_done(Backend backend) {
        run(backend, (context, reports) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> first = reports.future(who, work);
            eventually(() -> assertThat(inUse(context, "held-future", 1)).isOne());
            CompletableFuture<String> second = reports.future(who, CompletableFuture.completedFuture("second"));
            CompletableFuture<String> cancelled = reports.future(who, CompletableFuture.completedFuture("no"));
            cancelled.cancel(true);
            assertThat(second).isNotDone();
            work.complete("first");
            assertThat(get(first)).isEqualTo("first");
            assertThat(get(second)).isEqualTo("second");
            assertThat(inUse(context, "held-future", 1)).isZero();
            CompletableFuture<String> never = reports.future(who, new CompletableFuture<>());
            eventually(() -> assertThat(inUse(context, "held-future", 1)).isOne());
            never.cancel(true);
            eventually(() -> assertThat(inUse(context, "held-future", 1)).isZero());
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_call_that_gets_no_lease_spends_no_permits(Backend backend) {
        run(backend, (context, reports) -> {
            reports.both(who, () -> {
                for (int i = 0; i < 5; i++) {
                    rejected(() -> reports.both(who, () -> {}));
                    rejected(reports.bothLater(who, 1, new CompletableFuture<>()));
                    // More than there will ever be.
                    rejected(reports.bothLater(who, 2, new CompletableFuture<>()));
                }
            });
            eventually(
                    () -> assertThat(count(context, "held-both").on(who).peek().remaining())
                            .isOne());
            reports.both(who, () -> {});
            rejected(() -> reports.both(who, () -> {}));
            assertThat(inUse(context, "held-both", 1))
                    .as("rejected for its rate")
                    .isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_call_that_gets_no_lease_spends_no_permits_under_a_path_of_keys(Backend backend) {
        run(backend, (context, reports) -> {
            reports.inSlot(who, () -> rejected(() -> reports.inSlot(who, () -> {})));
            Limiter ofPath = context.getBean(LimiterFactory.class)
                    .with(LimiterOptions.NONE.withPrefix("countLimit:"))
                    .build("held-path", FixedWindow.of(2, HOUR));
            eventually(() -> assertThat(LimitSet.of(ofPath.on(who).on(who))
                            .peek(1)
                            .decision()
                            .remaining())
                    .isOne());
        });
    }

    private static Limiter count(ApplicationContext context, String name) {
        return context.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("countLimit:"))
                .build(name, FixedWindow.of(2, HOUR));
    }

    private long inUse(ApplicationContext context, String name, int limit) {
        ConcurrencyLimiter limiter = context.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                .build(name, ConcurrencyLimit.of(limit));
        return limiter.on(who).inUse();
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void rejected(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }

    private static void rejected(CompletableFuture<?> result) {
        assertThat(result)
                .failsWithin(LONG)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(RateLimitExceededException.class);
    }

    private static void eventually(Runnable assertion) {
        Awaitility.await().atMost(LONG).untilAsserted(assertion::run);
    }

    private static void run(Backend backend, BiConsumer<ApplicationContext, Reports> test) {
        backend.run(
                Reports.class,
                context -> test.accept(context, context.getBean(Reports.class)),
                "limiter.limits.held-shadow.enforce=false");
    }
}
