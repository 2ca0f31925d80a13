package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Methods that return futures, where the executor runs a task in the thread that hands it over, or takes none. */
class SaturatedExecutorTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    /** As {@code CallerRunsPolicy} does when all threads are busy. */
    private static final Executor CALLER_RUNS = Runnable::run;

    /** As a pool does that is shut down, or whose task decorator fails. */
    private static final Executor FAILING = task -> {
        throw new IllegalStateException("no thread");
    };

    private final String key = UUID.randomUUID().toString();

    static class Service {

        private final List<Thread> threads = new CopyOnWriteArrayList<>();

        public List<Thread> threads() {
            return threads;
        }

        @ConcurrentLimit(limit = 1, name = "saturated", key = "#{key}", timeout = "1m")
        public CompletableFuture<String> held(String key, CompletableFuture<String> work) {
            threads.add(Thread.currentThread());
            return work;
        }
    }

    static class Rated {

        @RateLimit(rate = 1)
        public CompletableFuture<Thread> call() {
            return CompletableFuture.completedFuture(Thread.currentThread());
        }
    }

    static class Mails {

        @Async
        @RateLimit(rate = 20, capacity = 1, name = "mails", key = "#{key}", timeout = "1m")
        @ConcurrentLimit(limit = 1, name = "mail-connections", key = "#{key}", timeout = "1m")
        public CompletableFuture<String> send(String key) {
            return CompletableFuture.completedFuture("sent");
        }
    }

    static class Letters {

        @RateLimit(rate = 20, capacity = 1, name = "letters", key = "#{key}", timeout = "1m")
        public CompletableFuture<String> send(String key) {
            return CompletableFuture.completedFuture("sent");
        }
    }

    @Async
    static class AsyncLetters extends Letters {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {

        @Bean
        ThreadPoolTaskExecutor applicationTaskExecutor() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setCorePoolSize(1);
            executor.setMaxPoolSize(1);
            return executor;
        }
    }

    /** Spring's thread waits for the future, so nothing that completes it may need another thread of the executor. */
    @ParameterizedTest
    @EnumSource
    void calls_of_an_async_method_wait_one_after_the_other_in_the_only_thread(Backend backend) {
        backend.start()
                .withUserConfiguration(Asynchronous.class)
                .withBean(Mails.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    List<CompletableFuture<String>> sent = List.of(mails.send(key), mails.send(key), mails.send(key));
                    for (CompletableFuture<String> mail : sent) {
                        assertThat(mail).succeedsWithin(LONG).isEqualTo("sent");
                    }
                });
    }

    @Test
    void a_method_is_asynchronous_by_its_bean_too() {
        Contexts.local()
                .withUserConfiguration(Asynchronous.class)
                .withBean(AsyncLetters.class)
                .run(context -> {
                    Letters letters = context.getBean(Letters.class);
                    List<CompletableFuture<String>> sent = List.of(letters.send(key), letters.send(key));
                    for (CompletableFuture<String> letter : sent) {
                        assertThat(letter).succeedsWithin(LONG).isEqualTo("sent");
                    }
                });
    }

    /** As in a slice of an application, or where AspectJ has woven it. */
    @Test
    void without_an_executor_before_it_an_async_method_is_like_any_other() {
        Contexts.plain()
                .withBean(LimiterFactory.class, HeldDecisions::new)
                .withBean(AsyncLetters.class)
                .run(context ->
                        assertThat(context.getBean(Letters.class).send(key)).isNotDone());
    }

    @Test
    void a_method_is_not_called_by_the_thread_that_brings_the_decision() {
        HeldDecisions decisions = new HeldDecisions();
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> decisions)
                .withBean("applicationTaskExecutor", Executor.class, () -> CALLER_RUNS)
                .withBean(Rated.class)
                .run(context -> {
                    CompletableFuture<Thread> result =
                            context.getBean(Rated.class).call();
                    decisions.pending.get(0).complete(HeldDecisions.GRANTED);
                    assertThat(result).succeedsWithin(LONG).isNotSameAs(Thread.currentThread());
                });
    }

    @ParameterizedTest
    @EnumSource
    void callers_do_not_continue_in_a_thread_of_the_redis_client(Backend backend) {
        backend.start()
                .withBean("applicationTaskExecutor", Executor.class, () -> CALLER_RUNS)
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    CompletableFuture<String> work = new CompletableFuture<>();
                    CompletableFuture<Thread> continued =
                            service.held(key, work).thenApply(value -> Thread.currentThread());
                    Awaitility.await()
                            .atMost(LONG)
                            .until(() -> !service.threads().isEmpty());
                    work.complete("done");
                    assertThat(List.of(service.threads().get(0), continued.get(LONG.toSeconds(), TimeUnit.SECONDS)))
                            .allSatisfy(thread -> assertThat(thread.getName()).doesNotContain("lettuce", "nio"));
                });
    }

    @Test
    void a_call_that_gets_no_thread_fails_and_releases_its_permits() {
        // The permit of the first call is there at once, so that it needs no thread; the second one waits for it.
        Contexts.local()
                .withBean("applicationTaskExecutor", Executor.class, () -> FAILING)
                .withBean(Service.class)
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    CompletableFuture<String> work = new CompletableFuture<>();
                    CompletableFuture<String> first = service.held(key, work);
                    CompletableFuture<String> second = service.held(key, new CompletableFuture<>());
                    assertThat(second).isNotDone();
                    work.complete("first");
                    assertThat(first).succeedsWithin(LONG).isEqualTo("first");
                    assertThat(second)
                            .failsWithin(LONG)
                            .withThrowableOfType(ExecutionException.class)
                            .havingRootCause()
                            .withMessage("no thread");
                    Awaitility.await()
                            .atMost(LONG)
                            .untilAsserted(() -> assertThat(context.getBean(LimiterFactory.class)
                                            .withPrefix("concurrentLimit:")
                                            .build("saturated", ConcurrencyLimit.of(1))
                                            .on(key)
                                            .inUse())
                                    .isZero());
                });
    }
}
