package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterListener;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Decision timeouts, retries and the circuit breaker, with a backend whose answers the test gives. */
@Tag("threads")
class GuardTest {

    private final HandEngine backend = new HandEngine();
    private final CountDownLatch down = new CountDownLatch(1);
    private final CountDownLatch up = new CountDownLatch(1);

    @Test
    void at_its_deadline_a_sent_request_is_ambiguous_and_a_queued_one_is_withdrawn() {
        backend.blocks = true;
        GroupCommit engine = new GroupCommit(
                backend,
                GroupCommit.Settings.DEFAULT,
                call -> new Thread(call).start(),
                guard(Duration.ofMillis(50), Duration.ofHours(1)));
        CompletableFuture<Outcome> sent = start(engine, "a", 1);
        Awaitility.await().until(() -> !backend.calls.isEmpty());
        CompletableFuture<Outcome> waits = start(engine, "a", 2);
        assertThat(failure(sent).kind()).isEqualTo(Kind.AMBIGUOUS);
        assertThat(failure(sent).isAmbiguous()).isTrue();
        assertThat(failure(waits).kind()).isEqualTo(Kind.NOT_EXECUTED);
        assertThat(failure(waits).isAmbiguous()).isFalse();
        assertThat(failure(sent).getStackTrace())
                .as("one thread fails all that are overdue")
                .isEmpty();
        assertThat(failure(waits).getStackTrace()).isEmpty();
        backend.call(0).answer();
        assertThat(backend.sent()).containsExactly(List.of("a:1"));
    }

    @Test
    void a_waiting_caller_gets_the_failure_with_its_own_stack_trace() {
        GroupCommit engine = engine(guard(Duration.ofMillis(50), Duration.ofHours(1)));
        assertThatThrownBy(() -> Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1))
                        .await())
                .isInstanceOfSatisfying(LimiterBackendException.class, e -> {
                    assertThat(e.kind()).isEqualTo(Kind.AMBIGUOUS);
                    assertThat(e.getStackTrace())
                            .anyMatch(frame ->
                                    frame.getClassName().equals(getClass().getName()));
                });
    }

    @Test
    void until_the_first_answer_requests_have_the_longer_timeout() {
        List<String> failed = new CopyOnWriteArrayList<>();
        Guard guard = firstDecisionTimeout(Patience.DECISION_TIMEOUT, failed);
        GroupCommit engine = engine(guard);
        CompletableFuture<Outcome> first = start(engine, "a", 1);
        CompletableFuture<Outcome> waits = start(engine, "a", 2);
        Ask alone = neverAnswered(guard);
        for (int i = 0; i < 3; i++) {
            assertThat(failure(neverAnswered(guard(Duration.ofMillis(50), Duration.ofHours(1))))
                            .kind())
                    .isEqualTo(Kind.AMBIGUOUS);
        }
        assertThat(first).as("longer than the decision timeout").isNotDone();
        assertThat(waits).isNotDone();
        assertThat(alone).isNotDone();
        assertThat(failed).isEmpty();
        backend.onStart = HandEngine.Call::answer;
        backend.calls.forEach(HandEngine.Call::answer);
        assertThat(first.join().isGranted()).isTrue();
        assertThat(waits.join().limit()).isEqualTo(2);
        backend.onStart = call -> {};
        assertThat(failure(start(engine, "a", 1)).kind()).isEqualTo(Kind.AMBIGUOUS);
        assertThat(failure(start(engine, "a", 1))).hasMessageContaining("within PT0.05S");
        assertThat(failure(alone).kind()).isEqualTo(Kind.AMBIGUOUS);
    }

    @Test
    void a_timeout_is_observed() {
        List<String> failed = new CopyOnWriteArrayList<>();
        GroupCommit engine = engine(firstDecisionTimeout(Duration.ofMillis(60), failed));
        CompletableFuture<Outcome> sent = start(engine, "a", 1);
        CompletableFuture<Outcome> waits = start(engine, "a", 2);
        assertThat(failure(sent)).hasMessageContaining("within PT0.06S");
        assertThat(failure(waits)).hasMessageContaining("within PT0.06S");
        assertThat(failed).containsExactly("timeout", "timeout");
    }

    private static Guard firstDecisionTimeout(Duration firstDecisionTimeout, List<String> failed) {
        return new Guard(
                Duration.ofMillis(50),
                firstDecisionTimeout,
                new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of())),
                new ListenerNotifier(List.of()),
                new EngineObserver() {
                    @Override
                    public void failed(String problem) {
                        failed.add(problem);
                    }
                });
    }

    @Test
    void a_continuation_that_blocks_delays_no_caller() throws Exception {
        Guard guard = guard(Duration.ofMillis(50), Duration.ofHours(1));
        GroupCommit queued = engine(guard);
        CountDownLatch blocked = new CountDownLatch(2);
        CountDownLatch released = new CountDownLatch(1);
        for (CompletableFuture<?> each : List.of(start(queued, "a", 1), neverAnswered(guard))) {
            each.whenComplete((answer, error) -> {
                blocked.countDown();
                Uninterruptibles.awaitUninterruptibly(released);
            });
        }
        assertThatThrownBy(() -> Ask.start(queued, "b", HandEngine.LIMIT, HandEngine.request(1))
                        .await())
                .isInstanceOf(LimiterBackendException.class);
        assertThatThrownBy(() -> neverAnswered(guard).await()).isInstanceOf(LimiterBackendException.class);
        released.countDown();
        blocked.await();
    }

    @Test
    void a_request_that_is_being_sent_at_its_deadline_counts_as_sent() {
        Guard guard = guard(Duration.ofMillis(50), Duration.ofHours(1));
        CompletableFuture<Ask> started = new CompletableFuture<>();
        CountDownLatch over = new CountDownLatch(1);
        CompletableFuture<String> sent = new CompletableFuture<>();
        new Thread(() -> started.complete(AnsweredCalls.start(guard, "a", () -> {
                    Uninterruptibles.awaitUninterruptibly(over);
                    return sent;
                })))
                .start();
        Awaitility.await().until(() -> guard.state().lastFailure().isPresent());
        over.countDown();
        assertThat(failure(started.join()).kind()).isEqualTo(Kind.AMBIGUOUS);
    }

    @Test
    void a_request_that_was_not_executed_is_retried() {
        AtomicInteger calls = new AtomicInteger();
        backend.onStart = call -> {
            if (calls.incrementAndGet() <= 3) {
                call.fail(loading());
            } else {
                call.answer();
            }
        };
        GroupCommit engine = engine(guard(Patience.DECISION_TIMEOUT, Duration.ofHours(1)));
        assertThat(Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1))
                        .await()
                        .isGranted())
                .isTrue();
        calls.set(0);
        assertThat(start(engine, "b", 2).join().limit()).isEqualTo(2);
        assertThat(backend.calls).hasSize(8);
    }

    @Test
    void a_request_that_may_have_been_executed_is_never_retried() {
        backend.onStart = call -> call.fail(BackendFailures.ambiguous("a", "cut", new IllegalStateException()));
        GroupCommit engine = engine(guard(Patience.DECISION_TIMEOUT, Duration.ofHours(1)));
        assertThat(failure(start(engine, "a", 1)).kind()).isEqualTo(Kind.AMBIGUOUS);
        assertThat(backend.calls).hasSize(1);
    }

    @Test
    void five_failures_open_the_circuit_breaker_and_an_answered_probe_closes_it() throws Exception {
        Guard guard = guard(Patience.DECISION_TIMEOUT, Duration.ofMillis(1));
        CountDownLatch answers = new CountDownLatch(1);
        guard.probeBy(Nodes.ONE, key -> {
            assertThat(key).isEqualTo("a");
            if (answers.getCount() > 0) {
                throw loading();
            }
        });
        GroupCommit engine = engine(guard);
        backend.onStart = call -> call.fail(BackendFailures.ambiguous("a", "cut", new IllegalStateException()));
        int failures = 0;
        while (guard.state().up()) {
            assertThat(start(engine, "a", 1)).isCompletedExceptionally();
            failures++;
        }
        assertThat(failures).isEqualTo(5);
        LimiterBackendException atOnce = failure(start(engine, "a", 1));
        assertThat(atOnce.kind()).isEqualTo(Kind.NOT_EXECUTED);
        assertThat(atOnce.getStackTrace()).isEmpty();
        assertThatThrownBy(() -> Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1))
                        .await())
                .as("of a caller that waits")
                .isInstanceOfSatisfying(
                        LimiterBackendException.class,
                        e -> assertThat(e.getStackTrace()).isEmpty());
        assertThat(backend.calls).hasSize(5);
        down.await();
        answers.countDown();
        up.await();
        backend.onStart = HandEngine.Call::answer;
        assertThat(start(engine, "a", 1).join().isGranted()).isTrue();
        assertThat(guard.state().up()).isTrue();
        assertThat(guard.state().lastFailure()).isPresent();
    }

    @Test
    void permanent_failures_do_not_open_the_circuit_breaker() {
        Guard guard = guard(Patience.DECISION_TIMEOUT, Duration.ofHours(1));
        GroupCommit engine = engine(guard);
        backend.onStart =
                call -> call.fail(new LimiterBackendException(Kind.PERMANENT, "NOPERM", "a", "no rights", null, null));
        for (int i = 0; i < 50; i++) {
            assertThat(failure(start(engine, "a", 1)).kind()).isEqualTo(Kind.PERMANENT);
        }
        assertThat(guard.state().up()).isTrue();
        assertThat(backend.calls).hasSize(50);
    }

    @Test
    void a_listener_that_throws_or_hangs_affects_no_other() {
        CountDownLatch ended = new CountDownLatch(1);
        List<String> notified = new CopyOnWriteArrayList<>();
        ListenerNotifier listeners = new ListenerNotifier(List.of(
                new LimiterListener() {
                    @Override
                    public void onBackendDown(LimiterBackendDownEvent event) {
                        throw new IllegalStateException("of a listener");
                    }
                },
                new LimiterListener() {
                    @Override
                    public void onBackendDown(LimiterBackendDownEvent event) {
                        try {
                            ended.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        notified.add(event.cause().key());
                    }
                }));
        for (int i = 0; i < 3 * ListenerNotifier.MAX_WAITING; i++) {
            listeners.publishIfRoom(listener -> listener.onBackendDown(LimiterBackendDownEvent.of("node", loading())));
        }
        listeners.publish(listener -> listener.onBackendDown(LimiterBackendDownEvent.of(
                "node",
                new LimiterBackendException(Kind.RETRYABLE, "LOADING", "is never dropped", "loading", null, null))));
        ended.countDown();
        listeners.close();
        Awaitility.await().until(() -> notified.contains("is never dropped"));
        assertThat(notified).hasSizeBetween(ListenerNotifier.MAX_WAITING, ListenerNotifier.MAX_WAITING + 2);
    }

    @Test
    void a_pause_of_this_jvm_does_not_count_against_deadlines() {
        TestClock clock = new TestClock();
        Guard guard = guard(Duration.ofMillis(100), clock);
        AtomicInteger checks = new AtomicInteger();
        guard.deadlines().watch(now -> checks.incrementAndGet() > 0);
        GroupCommit engine = engine(guard);
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<Outcome> sent = start(engine, "a", 1);
        CompletableFuture<Outcome> waits = start(engine, "a", 2);
        CompletableFuture<Outcome> single = AnsweredCalls.start(guard, "s", () -> answer);
        Awaitility.await().until(() -> checks.get() > 0);
        clock.advance(Duration.ofSeconds(30));
        int before = checks.get();
        Awaitility.await().until(() -> checks.get() > before + 3);
        assertThat(sent).isNotDone();
        assertThat(waits).isNotDone();
        assertThat(single).isNotDone();
        backend.onStart = HandEngine.Call::answer;
        backend.calls.forEach(HandEngine.Call::answer);
        answer.complete("answered");
        assertThat(sent.join().limit()).isEqualTo(1);
        assertThat(waits.join().limit()).isEqualTo(2);
        assertThat(single.join().isGranted()).isTrue();
        assertThat(guard.state().lastFailure()).isEmpty();
    }

    @Test
    void deadlines_end_requests_even_if_every_check_is_late() {
        for (Duration step : List.of(Duration.ofMillis(5), Duration.ofMillis(200))) {
            TestClock clock = new TestClock();
            GroupCommit engine = engine(guard(Duration.ofMillis(100), clock));
            CompletableFuture<Outcome> sent = start(engine, "a", 1);
            CompletableFuture<Outcome> waits = start(engine, "a", 2);
            clock.advance(Duration.ofSeconds(30));
            Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> {
                clock.advance(step);
                return sent.isDone() && waits.isDone();
            });
            assertThat(failure(sent).kind()).isEqualTo(Kind.AMBIGUOUS);
            assertThat(failure(waits).kind()).isIn(Kind.AMBIGUOUS, Kind.NOT_EXECUTED);
        }
    }

    private static Guard guard(Duration decisionTimeout, TestClock clock) {
        return Guards.withClock(
                decisionTimeout, new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of())), clock);
    }

    private static LimiterBackendException loading() {
        return new LimiterBackendException(Kind.RETRYABLE, "LOADING", "a", "loading", null, null);
    }

    private GroupCommit engine(Guard guard) {
        return new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
    }

    private Guard guard(Duration decisionTimeout, Duration probeInterval) {
        return Guards.with(
                decisionTimeout, new Breakers(probeInterval, new ListenerNotifier(List.of(new LimiterListener() {
                    @Override
                    public void onBackendDown(LimiterBackendDownEvent event) {
                        down.countDown();
                    }

                    @Override
                    public void onBackendUp(LimiterBackendUpEvent event) {
                        up.countDown();
                    }
                }))));
    }

    private static Ask neverAnswered(Guard guard) {
        return AnsweredCalls.start(guard, "t", CompletableFuture::new);
    }

    private static LimiterBackendException failure(CompletableFuture<?> future) {
        Throwable thrown = future.handle((decision, error) -> error).join();
        assertThat(thrown).isInstanceOf(LimiterBackendException.class);
        return (LimiterBackendException) thrown;
    }

    private static CompletableFuture<Outcome> start(Engine engine, String key, long permits) {
        return Ask.start(engine, key, HandEngine.LIMIT, HandEngine.request(permits));
    }
}
