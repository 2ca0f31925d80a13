package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterListener;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.EngineObserver;
import io.limiter.testing.FutureBackend;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever is thrown, and wherever: every request is completed, and those that come later are decided. */
class ThrowingTest {

    private static final int MOST_SECONDS = 60;

    private final HandBackend backend = new HandBackend();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());

    @Test
    void a_limit_whose_comparison_throws_fails_its_own_requests_and_no_other() {
        CompletableFuture<Decision> first = ask("first", HandEngine.LIMIT);
        CompletableFuture<Decision> a = ask("a", new Incomparable());
        CompletableFuture<Decision> a2 = ask("a", new Incomparable());
        CompletableFuture<Decision> b = ask("b", HandEngine.LIMIT);
        backend.answer(0);
        backend.onStart = () -> backend.answer(backend.calls.size() - 1);
        backend.answer(1);
        assertDecided(first, a, b, ask("c", HandEngine.LIMIT));
        assertThat(failure(a2)).hasMessageContaining("'a'").hasMessageContaining("cannot be compared");
    }

    @Test
    void what_throws_before_anything_is_taken_fails_what_is_queued_and_later_ones_are_sent() {
        backend.beforeBlocks = () -> {
            throw new StackOverflowError("a deep stack");
        };
        assertThat(failure(ask("a", HandEngine.LIMIT))).hasMessageContaining("a deep stack");
        assertThatThrownBy(() -> PendingRequest.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1))
                        .await())
                .isInstanceOf(LimiterBackendException.class);
        backend.beforeBlocks = () -> {};
        backend.onStart = () -> backend.answer(backend.calls.size() - 1);
        assertDecided(ask("a", HandEngine.LIMIT));
    }

    @Test
    void an_answer_too_few_fails_the_keys_without_one() {
        CompletableFuture<Decision> first = ask("first", HandEngine.LIMIT);
        CompletableFuture<Decision> a = ask("a", HandEngine.LIMIT);
        CompletableFuture<Decision> a2 = ask("a", HandEngine.LIMIT);
        CompletableFuture<Decision> b = ask("b", HandEngine.LIMIT);
        backend.answer(0);
        backend.calls.get(1).complete(List.of(Answer.of(List.of(Failover.granted(HandEngine.LIMIT)))));
        assertDecided(first, a);
        assertThat(failure(a2).isAmbiguous()).isTrue();
        assertThat(failure(b).isAmbiguous()).isTrue();
        backend.onStart = () -> backend.answer(backend.calls.size() - 1);
        assertDecided(ask("c", HandEngine.LIMIT));
    }

    @Test
    void a_request_whose_failure_cannot_be_made_is_ended_though_its_turn_comes_meanwhile() {
        AtomicInteger failures = new AtomicInteger();
        EngineObserver observer = new EngineObserver() {
            @Override
            public void failed(String problem) {
                // Of the first, which was sent, and then of the one that was not.
                if (failures.incrementAndGet() == 2) {
                    backend.answer(0);
                    throw new OutOfMemoryError("no room for a failure");
                }
            }
        };
        Duration decisionTimeout = Duration.ofMillis(20);
        Breakers breaker = new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of()));
        Guard guard = new Guard(decisionTimeout, decisionTimeout, breaker, new ListenerNotifier(List.of()), observer);
        Lane lane = new Lane(backend, GroupCommit.Settings.DEFAULT, 1, Runnable::run, guard);
        PendingRequest sent = new PendingRequest("a", HandEngine.LIMIT, HandEngine.request(1), null);
        PendingRequest queued = new PendingRequest("a", HandEngine.LIMIT, HandEngine.request(1), null);
        for (PendingRequest request : List.of(sent, queued)) {
            request.dueAt(guard.now());
            lane.add(request);
        }
        lane.endOverdue(guard.now());
        lane.endOverdue(guard.now());
        assertThat(failure(queued).kind()).isEqualTo(Kind.NOT_EXECUTED);
        assertThat(backend.calls).hasSize(1);
    }

    @Test
    void where_there_is_no_thread_for_the_probe_everyone_is_answered_and_the_backend_is_asked_still() {
        AtomicInteger asked = new AtomicInteger();
        ThreadFactory threads = task -> {
            asked.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        };
        Breakers unprobed = new Breakers(
                Duration.ofHours(1), new ListenerNotifier(List.of()), threads, AsyncLog.of(Breakers.class));
        Guard guard = Guards.with(Duration.ofMillis(20), unprobed);
        GroupCommit unanswered = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> PendingRequest.start(unanswered, "a", HandEngine.LIMIT, HandEngine.request(1))
                            .await())
                    .isInstanceOf(LimiterBackendException.class);
            backend.calls.forEach(call -> call.completeExceptionally(new IllegalStateException("late")));
        }
        assertThat(asked.get()).isPositive();
        assertThat(guard.state().up()).isTrue();
    }

    @Test
    void a_log_that_throws_or_hangs_holds_up_no_decision_and_is_not_written_by_those_who_decide() throws Exception {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        AtomicBoolean ended = new AtomicBoolean();
        Logger logger = (Logger) LoggerFactory.getLogger(Breakers.class);
        AppenderBase<ILoggingEvent> hanging = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                threads.add(Thread.currentThread().getName());
                Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(ended::get);
                throw new IllegalStateException("of a log");
            }
        };
        hanging.start();
        boolean additive = logger.isAdditive();
        logger.setAdditive(false);
        logger.addAppender(hanging);
        CompletableFuture<LimiterBackendException> down = new CompletableFuture<>();
        ListenerNotifier notices = new ListenerNotifier(List.of(new LimiterListener() {
            @Override
            public void backendDown(String node, LimiterBackendException cause) {
                down.complete(cause);
            }
        }));
        try {
            Guard guard = Guards.with(Duration.ofMillis(20), new Breakers(Duration.ofMillis(50), notices));
            AtomicInteger probes = new AtomicInteger();
            guard.probeBy(Nodes.ONE, key -> {
                if (probes.incrementAndGet() < 3) {
                    throw BackendFailures.notExecuted(key, "still away");
                }
            });
            GroupCommit unanswered = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
            List<CompletableFuture<Decision>> asked = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                asked.add(PendingRequest.start(unanswered, "a", HandEngine.LIMIT, HandEngine.request(1)));
            }
            asked.forEach(ThrowingTest::failure);
            Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(() -> probes.get() >= 3);
            Awaitility.await()
                    .atMost(MOST_SECONDS, TimeUnit.SECONDS)
                    .until(() -> guard.state().up());
        } finally {
            ended.set(true);
            Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(() -> !threads.isEmpty());
            notices.close();
            logger.detachAppender(hanging);
            logger.setAdditive(additive);
        }
        assertThat(threads).containsExactly("limiter-log");
        assertThat(down.get(MOST_SECONDS, TimeUnit.SECONDS).kind()).isIn(Kind.AMBIGUOUS, Kind.NOT_EXECUTED);
    }

    private CompletableFuture<Decision> ask(String key, Limit<?> limit) {
        return PendingRequest.start(engine, key, limit, HandEngine.request(1));
    }

    @SafeVarargs
    private static void assertDecided(CompletableFuture<Decision>... asked) {
        for (CompletableFuture<Decision> each : asked) {
            assertThat(each).succeedsWithin(MOST_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static LimiterBackendException failure(CompletableFuture<?> future) {
        Throwable thrown = future.handle((decision, error) -> error)
                .orTimeout(MOST_SECONDS, TimeUnit.SECONDS)
                .join();
        assertThat(thrown).isInstanceOf(LimiterBackendException.class);
        return (LimiterBackendException) thrown;
    }

    /** One whose calls the test completes. */
    private static final class HandBackend implements FutureBackend {

        final List<CompletableFuture<List<Answer>>> calls = new ArrayList<>();
        final List<List<KeyRequests<?>>> batches = new ArrayList<>();
        Runnable beforeBlocks = () -> {};
        Runnable onStart = () -> {};

        void answer(int call) {
            calls.get(call)
                    .complete(batches.get(call).stream()
                            .map(asked -> Answer.of(asked.requests().stream()
                                    .map(request -> Failover.granted(asked.limit()))
                                    .toList()))
                            .toList());
        }

        @Override
        public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
            CompletableFuture<List<Answer>> call = new CompletableFuture<>();
            batches.add(batch);
            calls.add(call);
            onStart.run();
            return call;
        }

        @Override
        public boolean blocks() {
            beforeBlocks.run();
            return false;
        }

        @Override
        public void delete(String key) {
            throw new UnsupportedOperationException();
        }
    }

    /** A limit of a user's own. */
    @SuppressWarnings("EqualsHashCode")
    private static final class Incomparable implements Limit<FixedWindow> {

        @Override
        public boolean equals(@Nullable Object other) {
            throw new AssertionError("cannot be compared");
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public Class<FixedWindow> stateType() {
            return FixedWindow.class;
        }

        @Override
        public long capacity() {
            return 1;
        }

        @Override
        public Limit<FixedWindow> scaled(double share) {
            return this;
        }

        @Override
        public Step<FixedWindow> step(@Nullable FixedWindow state, long nowMicros, Request request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long lifetimeMillis(FixedWindow state, long nowMicros) {
            throw new UnsupportedOperationException();
        }
    }
}
