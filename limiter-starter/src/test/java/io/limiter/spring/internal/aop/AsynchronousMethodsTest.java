package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.internal.log.AsyncLog;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.testing.TestRedis;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.annotation.Order;

/** Methods that return futures. */
class AsynchronousMethodsTest {

    private final HeldDecisions decisions = new HeldDecisions();
    private final List<Runnable> executed = new CopyOnWriteArrayList<>();
    private final ThreadLocal<String> user = new ThreadLocal<>();
    private final ApplicationContextRunner runner = Contexts.plain()
            .withBean(LimiterFactory.class, () -> decisions)
            .withBean(CurrentUser.class, () -> user::get)
            .withBean(Service.class);

    static class Service {

        private final List<Thread> calls = new CopyOnWriteArrayList<>();
        private final CompletableFuture<String> own = new CompletableFuture<>();

        // Not fields: those of a proxy are empty.
        public List<Thread> calls() {
            return calls;
        }

        public CompletableFuture<String> own() {
            return own;
        }

        @RateLimit(rate = 1)
        public CompletableFuture<String> call() {
            calls.add(Thread.currentThread());
            return own;
        }

        @RateLimit(rate = 1, limitType = LimitType.USER)
        public CompletableFuture<String> byUser() {
            return own;
        }

        @RateLimit(rate = 1)
        public @Nullable CompletableFuture<String> forgets() {
            return null;
        }

        @RateLimit(rate = 1)
        public CompletableFuture<String> calling(Runnable inside) {
            inside.run();
            return own;
        }

        @RateLimit(rate = 1)
        public CompletableFuture<String> fails() {
            throw new IllegalStateException("before there was a future");
        }
    }

    @Aspect
    @Order
    static class Inside {

        private int calls;

        int calls() {
            return calls;
        }

        @Before("execution(* io.limiter.spring.internal.aop.AsynchronousMethodsTest.Service.call())")
        void count() {
            calls++;
        }
    }

    @Test
    void the_caller_does_not_wait_and_the_method_is_called_after_the_decision() {
        run(service -> {
            CompletableFuture<String> result = service.call();
            assertThat(result).isNotDone();
            assertThat(service.calls()).isEmpty();
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            assertThat(service.calls())
                    .as("the thread of the decision is not for the method")
                    .isEmpty();
            execute();
            assertThat(service.calls()).hasSize(1);
            assertThat(result).isNotDone();
            service.own().complete("done");
            assertThat(result).isCompletedWithValue("done");
        });
    }

    @Test
    void a_rejection_is_in_the_future() {
        run(service -> {
            CompletableFuture<String> result = service.call();
            decisions.pending.get(0).complete(HeldDecisions.REJECTED);
            execute();
            assertThatThrownBy(result::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            RateLimitExceededException.class,
                            e -> assertThat(e.decision()).isEqualTo(HeldDecisions.REJECTED));
            assertThat(service.calls()).isEmpty();
        });
    }

    @Test
    void keys_are_those_of_the_calling_thread_and_a_missing_one_is_in_the_future() {
        run(service -> {
            user.set("bob");
            service.byUser();
            assertThat(decisions.keys).containsExactly("user:bob");
            user.set(" ");
            assertThatThrownBy(service.byUser()::get).hasCauseInstanceOf(MissingLimitKeyException.class);
            assertThat(decisions.pending).hasSize(1);
        });
    }

    @Test
    void a_call_that_is_made_later_has_the_context_of_its_caller() {
        ContextRegistry.getInstance().registerThreadLocalAccessor("user", user);
        List<@Nullable Object> seen = new ArrayList<>();
        Runnable inside = () -> {
            seen.add(MDC.get("request"));
            seen.add(LocaleContextHolder.getLocale());
            seen.add(user.get());
        };
        run(service -> {
            MDC.put("request", "7");
            LocaleContextHolder.setLocale(Locale.CANADA_FRENCH);
            user.set("bob");
            service.calling(inside);
            MDC.remove("request");
            LocaleContextHolder.resetLocaleContext();
            user.remove();
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            execute();
            assertThat(seen).containsExactly("7", Locale.CANADA_FRENCH, "bob");
            inside.run();
            assertThat(seen.subList(3, 6)).containsExactly(null, Locale.getDefault(), null);
        });
        ContextRegistry.getInstance().removeThreadLocalAccessor("user");
    }

    @Test
    void a_context_that_cannot_be_passed_on_fails_no_call() {
        ContextRegistry.getInstance().registerThreadLocalAccessor("broken", () -> "value", this::fail, () -> {});
        try (LogLines log = new LogLines(CallContext.class)) {
            run(service -> {
                service.call();
                decisions.pending.get(0).complete(HeldDecisions.GRANTED);
                execute();
                assertThat(service.calls()).hasSize(1);
            });
            assertThat(AsyncLog.flush(Duration.ofMinutes(1))).isTrue();
            assertThat(log.all()).hasSize(1);
        }
        ContextRegistry.getInstance().removeThreadLocalAccessor("broken");
    }

    private void fail(String value) {
        throw new IllegalStateException(value);
    }

    @Test
    void cancelling_cancels_the_pending_decision() {
        run(service -> {
            CompletableFuture<String> result = service.call();
            result.cancel(true);
            assertThat(decisions.pending.get(0)).isCancelled();
            execute();
            assertThat(service.calls()).isEmpty();
        });
    }

    @Test
    void cancelling_cancels_the_future_of_the_method() {
        run(service -> {
            CompletableFuture<String> result = service.call();
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            execute();
            result.cancel(true);
            assertThat(service.own()).isCancelled();
        });
    }

    @Test
    void a_call_that_is_cancelled_between_its_decision_and_its_thread_is_not_made() {
        run(service -> {
            CompletableFuture<String> result = service.call();
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            result.cancel(true);
            execute();
            assertThat(service.calls()).isEmpty();
        });
    }

    @Test
    void cancelling_while_the_method_runs_cancels_its_future() {
        run(service -> {
            AtomicReference<CompletableFuture<String>> result = new AtomicReference<>();
            result.set(service.calling(() -> result.get().cancel(true)));
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            execute();
            assertThat(service.own()).isCancelled();
        });
    }

    @Test
    void a_failure_of_the_future_of_the_method_is_in_the_future() {
        run(service -> {
            CompletableFuture<String> result = service.call();
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            execute();
            service.own().completeExceptionally(new IllegalStateException("later"));
            assertThat(result).isCompletedExceptionally();
            assertThatThrownBy(result::get).hasRootCauseMessage("later");
        });
    }

    @Test
    void a_method_that_returns_no_future_is_an_error() {
        run(service -> {
            CompletableFuture<String> result = Objects.requireNonNull(service.forgets());
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            execute();
            assertThat(result).isCompletedExceptionally();
            assertThatThrownBy(result::get)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("forgets() returned null instead of a future");
        });
    }

    @Test
    void other_failures_are_in_the_future() {
        run(service -> {
            CompletableFuture<String> failed = service.call();
            decisions.pending.get(0).completeExceptionally(new IllegalStateException("no backend"));
            execute();
            assertThat(failed).isCompletedExceptionally();
            assertThatThrownBy(failed::get).hasRootCauseMessage("no backend");
            CompletableFuture<String> thrown = service.fails();
            decisions.pending.get(1).complete(HeldDecisions.GRANTED);
            execute();
            assertThat(thrown).isCompletedExceptionally();
            assertThatThrownBy(thrown::get).hasRootCauseMessage("before there was a future");
        });
        Executor full = task -> {
            throw new RejectedExecutionException("full");
        };
        runner.run(context -> {
            threads(context, full);
            decisions.pending.clear();
            CompletableFuture<String> result = context.getBean(Service.class).call();
            decisions.pending.get(0).complete(HeldDecisions.GRANTED);
            assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("full");
        });
    }

    @Test
    void an_aspect_further_inside_finds_its_call_in_the_other_thread() {
        runner.withConfiguration(Contexts.aop()).withBean(Inside.class).run(context -> {
            threads(context, executed::add);
            context.getBean(Service.class).call();
            Thread thread = new Thread(() -> {
                decisions.pending.get(0).complete(HeldDecisions.GRANTED);
                execute();
            });
            thread.start();
            thread.join();
            assertThat(context.getBean(Service.class).calls()).containsExactly(thread);
            assertThat(context.getBean(Inside.class).calls()).isEqualTo(1);
        });
    }

    @Test
    void an_immediate_decision_needs_no_other_thread() {
        Contexts.local().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            service.call();
            assertThat(service.calls()).containsExactly(Thread.currentThread());
            assertThat(service.call()).isCompletedExceptionally();
        });
    }

    @Test
    void with_redis_the_method_is_not_called_by_the_clients_thread() {
        Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.shared().uri(),
                        "limiter.on-failure=throw",
                        "limiter.failure.decision-timeout=2m")
                // Whoever used this Redis a moment ago.
                .withPropertyValues("limiter.limits[" + Service.class.getName() + ".call()].enforce=false")
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    service.own().complete("done");
                    assertThat(service.call().get(30, TimeUnit.SECONDS)).isEqualTo("done");
                    assertThat(service.calls())
                            .singleElement()
                            .satisfies(thread -> assertThat(thread.getName())
                                    .doesNotContain("lettuce")
                                    .doesNotContain("nio"));
                });
    }

    private void execute() {
        List<Runnable> tasks = List.copyOf(executed);
        executed.clear();
        tasks.forEach(Runnable::run);
    }

    private void run(Consumer<Service> test) {
        runner.run(context -> {
            threads(context, executed::add);
            test.accept(context.getBean(Service.class));
        });
    }

    private static void threads(ApplicationContext context, Executor threads) {
        context.getBean(AnnotationLimitAdvisor.class).beans().setThreads(threads);
    }
}
