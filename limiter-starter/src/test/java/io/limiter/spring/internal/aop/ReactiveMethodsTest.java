package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.Order;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Methods that return publishers of Reactor. */
class ReactiveMethodsTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    static class Service {

        private final AtomicInteger calls = new AtomicInteger();
        private final List<Thread> callers = new CopyOnWriteArrayList<>();

        // Not a field: those of a proxy are empty.
        public AtomicInteger calls() {
            return calls;
        }

        public List<Thread> callers() {
            return callers;
        }

        @CountLimit(limit = 1, per = "1h", limitType = LimitType.USER)
        public Flux<Integer> byUser() {
            return Flux.just(1);
        }

        @CountLimit(limit = 1, per = "1h", limitType = LimitType.USER)
        public Mono<Integer> oneByUser() {
            return Mono.just(1);
        }

        @CountLimit(limit = 1, per = "1h")
        public @Nullable Mono<String> forgets() {
            return null;
        }

        @CountLimit(limit = 2, per = "1h")
        public Mono<String> mono() {
            calls.incrementAndGet();
            return Mono.just("one");
        }

        @CountLimit(limit = 2, per = "1h")
        public Flux<Integer> flux(int count) {
            calls.incrementAndGet();
            return Flux.range(0, count);
        }

        @CountLimit(limit = 1, per = "1h")
        public Mono<Void> empty() {
            calls.incrementAndGet();
            return Mono.empty();
        }

        @CountLimit(limit = 1, per = "1h", limitType = LimitType.CUSTOM, key = "#{who}")
        public Mono<Boolean> thread(String who) {
            calls.incrementAndGet();
            callers.add(Thread.currentThread());
            return Mono.just(Schedulers.isInNonBlockingThread());
        }
    }

    /** Its method does not say that it returns a publisher. */
    interface Source<T> {
        T read();
    }

    static class MonoSource implements Source<Mono<String>> {

        @Override
        @CountLimit(limit = 1, per = "1h")
        public Mono<String> read() {
            return Mono.just("read");
        }
    }

    @Aspect
    @Order
    static class Inside {

        private int calls;

        int calls() {
            return calls;
        }

        @Before("execution(* io.limiter.spring.internal.aop.ReactiveMethodsTest.Service.mono())")
        void count() {
            calls++;
        }
    }

    @Test
    void each_subscription_is_limited_once_and_calls_the_method_once() {
        local(service -> {
            Mono<String> mono = service.mono();
            assertThat(service.calls()).hasValue(0);
            assertThat(mono.block(LONG)).isEqualTo("one");
            assertThat(mono.block(LONG)).isEqualTo("one");
            assertThatThrownBy(() -> mono.block(LONG)).isInstanceOf(RateLimitExceededException.class);
            assertThat(service.calls()).hasValue(2);
        });
    }

    @Test
    void the_class_decides_what_a_method_of_a_generic_interface_returns() {
        Contexts.local()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(MonoSource.class)
                .run(context -> {
                    Object mono = context.getBean(Source.class).read();
                    assertThat(((Mono<?>) mono).block(LONG)).isEqualTo("read");
                    assertThatThrownBy(((Mono<?>) mono)::block).isInstanceOf(RateLimitExceededException.class);
                });
    }

    @Test
    void an_aspect_further_inside_is_called_for_each_subscription() {
        Contexts.local()
                .withConfiguration(Contexts.aop())
                .withBean(Inside.class)
                .withBean(Service.class)
                .run(context -> {
                    Mono<String> mono = context.getBean(Service.class).mono();
                    mono.block(LONG);
                    mono.block(LONG);
                    assertThat(context.getBean(Inside.class).calls()).isEqualTo(2);
                });
    }

    @Test
    void an_immediate_decision_needs_no_other_thread() {
        local(service -> {
            service.thread("bob").block(LONG);
            assertThat(service.callers()).containsExactly(Thread.currentThread());
        });
    }

    @Test
    void a_method_that_returns_no_publisher_is_an_error() {
        local(service -> {
            Mono<String> forgotten = Objects.requireNonNull(service.forgets());
            assertThatThrownBy(() -> forgotten.block(LONG))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("forgets() returned null instead of a publisher");
        });
    }

    @Test
    void a_flux_is_limited_as_a_whole() {
        local(service -> {
            Flux<Integer> flux = service.flux(100);
            assertThat(flux.collectList().block(LONG)).hasSize(100);
            assertThat(flux.take(3).collectList().block(LONG)).containsExactly(0, 1, 2);
            assertThatThrownBy(flux::blockLast).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void an_empty_result_is_not_mistaken_for_a_rejection() {
        local(service -> {
            assertThat(service.empty().block(LONG)).isNull();
            assertThat(service.calls()).hasValue(1);
        });
    }

    @Test
    void a_missing_key_is_in_the_publisher() {
        local(service -> {
            Mono<Boolean> mono = service.thread(" ");
            assertThatThrownBy(() -> mono.block(LONG)).isInstanceOf(MissingLimitKeyException.class);
            Flux<Integer> flux = service.byUser();
            assertThatThrownBy(flux::blockLast).isInstanceOf(MissingLimitKeyException.class);
        });
    }

    @Test
    void keys_are_those_of_the_calling_thread_not_of_the_subscribing_one() {
        ThreadLocal<String> user = new ThreadLocal<>();
        Contexts.local()
                .withBean(CurrentUser.class, () -> user::get)
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    user.set("bob");
                    Flux<Integer> flux = service.byUser();
                    Mono<Integer> mono = service.oneByUser();
                    user.set(" ");
                    assertThat(flux.collectList().block(LONG)).containsExactly(1);
                    assertThat(mono.block(LONG)).isEqualTo(1);
                });
    }

    @Test
    void nothing_waits_for_the_decision_and_the_method_goes_on_elsewhere() {
        HeldDecisions decisions = new HeldDecisions();
        held(decisions, service -> {
            Mono<Boolean> result = service.thread("bob");
            assertThat(decisions.pending).isEmpty();
            java.util.concurrent.CompletableFuture<Boolean> mustNotBlock = result.toFuture();
            assertThat(mustNotBlock).isNotDone();
            assertThat(decisions.keys).containsExactly("bob");
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            assertThat(mustNotBlock.join()).isFalse();
        });
    }

    @Test
    void cancelling_a_subscription_cancels_its_decision() {
        HeldDecisions decisions = new HeldDecisions();
        held(decisions, service -> {
            Disposable subscription = service.flux(1).subscribe();
            subscription.dispose();
            assertThat(decisions.pending.get(0)).isCancelled();
            assertThat(service.calls()).hasValue(0);
        });
    }

    private static void local(Consumer<Service> test) {
        Contexts.local()
                .withBean(CurrentUser.class, () -> () -> " ")
                .withBean(Service.class)
                .run(context -> test.accept(context.getBean(Service.class)));
    }

    private static void held(HeldDecisions decisions, Consumer<Service> test) {
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> decisions)
                .withBean(Service.class)
                .run(context -> test.accept(context.getBean(Service.class)));
    }
}
