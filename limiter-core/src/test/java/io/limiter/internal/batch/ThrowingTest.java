package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterListener;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.testing.BrokenLimit;
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
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever is thrown, and wherever: every request is completed, and later ones are decided. */
@Tag("threads")
class ThrowingTest {

    private static final int MOST_SECONDS = 60;

    private final HandEngine backend = new HandEngine();
    private final GroupCommit engine =
            new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());

    @Test
    void a_limit_whose_comparison_throws_fails_its_own_requests_and_no_other() {
        CompletableFuture<Outcome> first = request(engine, "first", 1);
        CompletableFuture<Outcome> a = Ask.start(engine, "a", new Incomparable(), HandEngine.request(1));
        CompletableFuture<Outcome> a2 = Ask.start(engine, "a", new Incomparable(), HandEngine.request(1));
        CompletableFuture<Outcome> b = request(engine, "b", 1);
        backend.call(0).answer();
        backend.onStart = HandEngine.Call::answer;
        backend.call(1).answer();
        assertDecided(first, a, b, request(engine, "c", 1));
        assertThat(failure(a2)).hasMessageContaining("'a'").hasMessageContaining("cannot be compared");
    }

    @Test
    void what_is_thrown_before_a_call_is_sent_is_a_permanent_failure_until_a_request_is_decided() {
        Guard guard = Patience.guard();
        GroupCommit watched = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        backend.beforeBlocks = () -> {
            throw new IllegalStateException("a strange client");
        };
        assertThat(failure(request(watched, "a", 1)).kind()).isEqualTo(Kind.PERMANENT);
        assertThat(guard.state().up()).isTrue();
        assertThat(guard.state().failing())
                .singleElement()
                .satisfies(failing -> assertThat(failing.failure()).hasMessageContaining("a strange client"));
        backend.beforeBlocks = () -> {};
        backend.onStart = HandEngine.Call::answer;
        assertDecided(request(watched, "a", 1));
        assertThat(guard.state().failing()).isEmpty();
    }

    @Test
    void a_backend_that_cannot_say_where_a_key_is_fails_permanently() {
        Guard guard = Patience.guard();
        // A remainder by nothing.
        backend.lanes = 2;
        GroupCommit watched = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        backend.onStart = HandEngine.Call::answer;
        assertDecided(request(watched, "a", 1));
        backend.lanes = 0;
        assertThat(failure(request(watched, "a", 1)).kind()).isEqualTo(Kind.PERMANENT);
        assertThat(guard.state().failing()).hasSize(1);
    }

    @Test
    void an_error_before_a_call_fails_queued_requests_and_later_ones_are_sent() {
        backend.beforeBlocks = () -> {
            throw new StackOverflowError("a deep stack");
        };
        assertThat(failure(request(engine, "a", 1))).hasMessageContaining("a deep stack");
        assertThatThrownBy(() -> request(engine, "a", 1).await()).isInstanceOf(LimiterBackendException.class);
        backend.beforeBlocks = () -> {};
        backend.onStart = HandEngine.Call::answer;
        assertDecided(request(engine, "a", 1));
    }

    @Test
    void missing_answers_fail_their_keys() {
        CompletableFuture<Outcome> first = request(engine, "first", 1);
        CompletableFuture<Outcome> a = request(engine, "a", 1);
        CompletableFuture<Outcome> a2 = request(engine, "a", 1);
        CompletableFuture<Outcome> b = request(engine, "b", 1);
        backend.call(0).answer();
        backend.call(1)
                .answer(List.of(
                        Answer.of(List.of(Failover.granted(HandEngine.LIMIT).verdict()))));
        assertDecided(first, a);
        assertThat(failure(a2).isAmbiguous()).isTrue();
        assertThat(failure(b).isAmbiguous()).isTrue();
        backend.onStart = HandEngine.Call::answer;
        assertDecided(request(engine, "c", 1));
    }

    @Test
    void an_overdue_request_whose_failure_throws_is_failed_by_the_next_check() {
        AtomicInteger failures = new AtomicInteger();
        EngineObserver observer = new EngineObserver() {
            @Override
            public void failed(String problem) {
                // Of the first, which was sent, and then of the one that was not.
                if (failures.incrementAndGet() == 2) {
                    backend.call(0).answer();
                    throw new OutOfMemoryError("no room for a failure");
                }
            }
        };
        Duration decisionTimeout = Duration.ofMillis(20);
        Breakers breaker = new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of()));
        Guard guard = new Guard(decisionTimeout, decisionTimeout, breaker, new ListenerNotifier(List.of()), observer);
        Lane lane = new Lane(
                backend,
                GroupCommit.Settings.DEFAULT.withMaxCalls(1),
                new Yielding(Duration.ZERO),
                Runnable::run,
                guard,
                added -> {});
        Ask sent = new Ask("a", HandEngine.LIMIT, HandEngine.request(1), null);
        Ask queued = new Ask("a", HandEngine.LIMIT, HandEngine.request(1), null);
        for (Ask request : List.of(sent, queued)) {
            request.dueAt(guard.deadlines().now());
            lane.add(request);
        }
        lane.endOverdue(guard.deadlines().now());
        lane.endOverdue(guard.deadlines().now());
        assertThat(failure(queued).kind()).isEqualTo(Kind.NOT_EXECUTED);
        assertThat(backend.calls).hasSize(1);
    }

    @Test
    void without_a_thread_for_the_probe_requests_are_answered_and_still_sent() {
        AtomicInteger requested = new AtomicInteger();
        ThreadFactory threads = task -> {
            requested.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        };
        Breakers unprobed = new Breakers(
                Duration.ofHours(1), new ListenerNotifier(List.of()), threads, AsyncLog.of(Breakers.class));
        Guard guard = Guards.with(Duration.ofMillis(20), unprobed);
        GroupCommit unanswered = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> request(unanswered, "a", 1).await()).isInstanceOf(LimiterBackendException.class);
            backend.calls.forEach(call -> call.fail(new IllegalStateException("late")));
        }
        assertThat(requested.get()).isPositive();
        assertThat(guard.state().up()).isTrue();
    }

    @Test
    void a_log_that_throws_or_hangs_delays_no_decision() throws Exception {
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
        ListenerNotifier notifier = new ListenerNotifier(List.of(new LimiterListener() {
            @Override
            public void onBackendDown(LimiterBackendDownEvent event) {
                down.complete(event.cause());
            }
        }));
        try {
            Guard guard = Guards.with(Duration.ofMillis(20), new Breakers(Duration.ofMillis(50), notifier));
            AtomicInteger probes = new AtomicInteger();
            guard.probeBy(Nodes.ONE, key -> {
                if (probes.incrementAndGet() < 3) {
                    throw BackendFailures.notExecuted(key, "still unavailable");
                }
            });
            GroupCommit unanswered = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
            List<CompletableFuture<Outcome>> requests = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                requests.add(request(unanswered, "a", 1));
            }
            requests.forEach(ThrowingTest::failure);
            Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(() -> probes.get() >= 3);
            Awaitility.await()
                    .atMost(MOST_SECONDS, TimeUnit.SECONDS)
                    .until(() -> guard.state().up());
        } finally {
            ended.set(true);
            Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(() -> !threads.isEmpty());
            notifier.close();
            logger.detachAppender(hanging);
            logger.setAdditive(additive);
        }
        assertThat(threads).containsExactly("limiter-log");
        assertThat(down.get(MOST_SECONDS, TimeUnit.SECONDS).kind()).isIn(Kind.AMBIGUOUS, Kind.NOT_EXECUTED);
    }

    @SafeVarargs
    private static void assertDecided(CompletableFuture<Outcome>... requests) {
        for (CompletableFuture<Outcome> each : requests) {
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

    /** A custom limit. */
    @SuppressWarnings("EqualsHashCode")
    private static final class Incomparable extends BrokenLimit {

        @Override
        public boolean equals(@Nullable Object other) {
            throw new AssertionError("cannot be compared");
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }
}
