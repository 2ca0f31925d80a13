package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Methods that return futures, where all threads of the application wait, or no thread can be started. */
class SaturatedExecutorTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private static final Executor FAILING = task -> {
        throw new OutOfMemoryError("no thread");
    };

    private final String key = UUID.randomUUID().toString();

    static class Service {

        private final List<Thread> threads = new CopyOnWriteArrayList<>();

        public List<Thread> threads() {
            return threads;
        }

        @ConcurrentLimit(limit = 1, name = "saturated", key = "#{key}", timeout = 60)
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
        @RateLimit(rate = 20, capacity = 1, name = "mails", key = "#{key}", timeout = 60)
        @ConcurrentLimit(limit = 1, name = "mail-connections", key = "#{key}", timeout = 60)
        public CompletableFuture<String> send(String key) {
            return CompletableFuture.completedFuture("sent");
        }
    }

    static class Letters {

        @RateLimit(rate = 20, capacity = 1, name = "letters", key = "#{key}", timeout = 60)
        public CompletableFuture<String> send(String key) {
            return CompletableFuture.completedFuture("sent");
        }
    }

    static class Held {

        @RateLimit(rate = 100, capacity = 1, name = "held-future", key = "#{key}", timeout = 60)
        @ConcurrentLimit(limit = 1, name = "held-future", key = "#{key}", timeout = 60)
        public CompletableFuture<String> future(String key) {
            return CompletableFuture.completedFuture("sent");
        }

        @RateLimit(rate = 100, capacity = 1, name = "held-mono", key = "#{key}", timeout = 60)
        @ConcurrentLimit(limit = 1, name = "held-mono", key = "#{key}", timeout = 60)
        public Mono<String> mono(String key) {
            return Mono.just("sent");
        }
    }

    static class Waiting {

        private final Held held;

        Waiting(Held held) {
            this.held = held;
        }

        @Async
        public CompletableFuture<String> send(String key) {
            return CompletableFuture.completedFuture(held.future(key).join());
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

    /** Another bean's tasks wait for calls that go on when the ones before them are done. */
    @ParameterizedTest
    @EnumSource
    void calls_go_on_while_all_threads_of_the_application_wait_for_them(Backend backend) {
        backend.start()
                .withUserConfiguration(Asynchronous.class)
                .withBean(Held.class)
                .withBean(Waiting.class)
                .run(context -> {
                    Waiting waiting = context.getBean(Waiting.class);
                    List<CompletableFuture<String>> tasks =
                            List.of(waiting.send(key), waiting.send(key), waiting.send(key));
                    for (CompletableFuture<String> task : tasks) {
                        assertThat(task).succeedsWithin(LONG).isEqualTo("sent");
                    }
                });
    }

    /** As {@code block()} in a task of Reactor's bounded elastic scheduler. */
    @ParameterizedTest
    @EnumSource
    void publishers_go_on_while_all_threads_of_reactor_wait_for_them(Backend backend) {
        backend.start().withBean(Held.class).run(context -> {
            Held held = context.getBean(Held.class);
            assertThat(Flux.range(0, Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE * 2)
                            .flatMap(
                                    unused -> Mono.fromCallable(
                                                    () -> held.mono(key).block(LONG))
                                            .subscribeOn(Schedulers.boundedElastic()),
                                    Integer.MAX_VALUE)
                            .collectList()
                            .block(LONG))
                    .containsOnly("sent")
                    .hasSize(Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE * 2);
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
        backend.start().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<Thread> continued = service.held(key, work).thenApply(value -> Thread.currentThread());
            Awaitility.await().atMost(LONG).until(() -> !service.threads().isEmpty());
            work.complete("done");
            assertThat(List.of(service.threads().get(0), continued.get(LONG.toSeconds(), TimeUnit.SECONDS)))
                    .allSatisfy(thread -> assertThat(thread.getName()).doesNotContain("lettuce", "nio"));
        });
    }

    @Test
    void a_call_that_gets_no_thread_fails_and_releases_its_permits() {
        // The permit of the first call is there immediately, so that it needs no thread. The second one waits for its
        // permit.
        Contexts.local().withBean(Service.class).run(context -> {
            context.getBean(AnnotationLimitAdvisor.class).beans().setThreads(FAILING);
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
                                    .with(LimiterOptions.NONE.withPrefix("concurrentLimit:"))
                                    .build("saturated", ConcurrencyLimit.of(1))
                                    .on(key)
                                    .inUse())
                            .isZero());
        });
    }
}
