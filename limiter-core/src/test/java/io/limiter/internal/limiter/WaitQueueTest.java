package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Decision.Source;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingLog;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.PendingDecision;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.override.InEffect;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.waiting.WaitingRoom;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Seed;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many callers of one JVM that wait for permits of one key, by timers that the test fires. */
class WaitQueueTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final TestClock clock = new TestClock();
    private final HandSleeper sleeper = new HandSleeper(clock);
    private final HeldEngine engine = new HeldEngine();

    /** Decides at once, or when the test says so. */
    private final class HeldEngine implements Engine {

        private final SteppingEngine stepping = new SteppingEngine(clock::micros, new KnownRejections(0));
        private final List<PendingDecision<?>> held = new ArrayList<>();
        private boolean holds;
        private @Nullable LimiterBackendException failure;

        @Override
        public void decide(PendingDecision<?> pending) {
            if (failure != null) {
                pending.fail(failure, Runnable::run);
            } else if (holds) {
                held.add(pending);
            } else {
                stepping.decide(pending);
            }
        }

        void answer() {
            List<PendingDecision<?>> answered = List.copyOf(held);
            held.clear();
            answered.forEach(stepping::decide);
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return stepping.reset(key);
        }
    }

    private Limiter limiter(Limit<?> limit) {
        return limiter("k", limit, Failover.none(engine));
    }

    private Limiter limiter(String name, Limit<?> limit, Failover failover) {
        return new EngineLimiter<>(new KeySpace("", name, limit.keySuffix()), limit, failover, sleeper);
    }

    @Test
    void two_hundred_callers_are_served_in_order_ten_in_each_window() {
        Limiter window = limiter(FixedWindow.of(10, SECOND));
        assertThat(window.tryAcquire(10)).isTrue();
        List<Integer> served = new ArrayList<>();
        List<CompletableFuture<Boolean>> callers = IntStream.range(0, 200)
                .mapToObj(i -> {
                    CompletableFuture<Boolean> caller = window.async().tryAcquire(HOUR);
                    caller.thenAccept(granted -> served.add(i));
                    return caller;
                })
                .toList();
        int before = engine.stepping.requests();
        for (int windows = 1; windows <= 20; windows++) {
            sleeper.run();
            assertThat(served).hasSize(10 * windows);
        }
        assertThat(served).isSorted();
        assertThat(callers).allMatch(CompletableFuture::join);
        assertThat(engine.stepping.requests() - before)
                .as("one more in each window but the last")
                .isEqualTo(219);
        assertThat(sleeper.pending()).isZero();
    }

    @Test
    void callers_of_a_log_are_served_in_order_and_cost_two_requests_each() {
        Limiter log = limiter(SlidingLog.of(5, SECOND));
        for (int i = 0; i < 5; i++) {
            assertThat(log.tryAcquire()).isTrue();
            clock.advance(Duration.ofMillis(100));
        }
        List<Integer> served = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int number = i;
            log.async().tryAcquire(HOUR).thenAccept(granted -> served.add(number));
        }
        int before = engine.stepping.requests();
        while (served.size() < 50) {
            sleeper.run();
        }
        assertThat(served).isSorted();
        assertThat(engine.stepping.requests() - before).isLessThanOrEqualTo(100);
    }

    @Test
    void callers_for_other_permits_and_other_keys_do_not_wait_for_each_other() {
        Limiter log = limiter(SlidingLog.of(2, SECOND));
        assertThat(log.tryAcquire()).isTrue();
        assertThat(log.tryAcquire("key")).isTrue();
        clock.advance(Duration.ofMillis(500));
        assertThat(log.tryAcquire()).isTrue();
        assertThat(log.tryAcquire("key")).isTrue();
        CompletableFuture<Boolean> both = log.async().tryAcquire(2, HOUR);
        CompletableFuture<Boolean> one = log.async().tryAcquire(1, HOUR);
        CompletableFuture<Boolean> ofKey = log.async().tryAcquire("key", HOUR);
        sleeper.run();
        assertThat(one).isCompletedWithValue(true);
        assertThat(ofKey).isCompletedWithValue(true);
        sleeper.run();
        assertThat(both).isCompletedWithValue(true);
    }

    @Test
    void a_caller_is_rejected_with_the_retry_after_as_soon_as_that_exceeds_what_is_left() {
        Limiter window = limiter(FixedWindow.of(1, SECOND));
        assertThat(window.tryAcquire()).isTrue();
        CompletableFuture<Decision> first = window.async().decide(1, Duration.ofMillis(1500));
        CompletableFuture<Decision> second = window.async().decide(1, Duration.ofMillis(1999));
        CompletableFuture<Decision> third = window.async().decide(1, Duration.ofMillis(1500));
        CompletableFuture<Decision> fourth = window.async().decide(1, Duration.ofMillis(2000));
        sleeper.run();
        assertThat(first).isCompletedWithValueMatching(Decision::granted);
        assertThat(second.join().retryAfter()).hasValue(SECOND);
        assertThat(third.join().retryAfter()).hasValue(SECOND);
        assertThat(fourth).isNotDone();
        sleeper.run();
        assertThat(fourth).isCompletedWithValueMatching(Decision::granted);
    }

    @Test
    void permits_that_others_took_are_waited_for_again() {
        Limiter window = limiter(FixedWindow.of(2, SECOND));
        assertThat(window.tryAcquire(2)).isTrue();
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        clock.advance(SECOND);
        assertThat(window.tryAcquire(2)).as("faster").isTrue();
        sleeper.run();
        assertThat(waiting).isNotDone();
        sleeper.run();
        assertThat(waiting).isCompletedWithValue(true);
    }

    @Test
    void a_timeout_that_ends_while_others_are_decided_is_decided_beside_them() {
        Limiter window = limiter(FixedWindow.of(1, SECOND));
        assertThat(window.tryAcquire()).isTrue();
        CompletableFuture<Boolean> first = window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> hasty = window.async().tryAcquire(Duration.ofMillis(1010));
        CompletableFuture<Boolean> third = window.async().tryAcquire(HOUR);
        engine.holds = true;
        sleeper.run();
        assertThat(engine.held).as("the first").hasSize(1);
        sleeper.run();
        assertThat(engine.held)
                .as("and the hasty one, which must not wait for a second answer")
                .hasSize(2);
        engine.holds = false;
        engine.answer();
        assertThat(first).isCompletedWithValue(true);
        assertThat(hasty).isCompletedWithValue(false);
        assertThat(third).isNotDone();
        sleeper.run();
        assertThat(third).isCompletedWithValue(true);
    }

    @Test
    void a_caller_that_gives_up_takes_nothing_and_holds_up_no_other() {
        Limiter window = limiter(FixedWindow.of(1, SECOND));
        assertThat(window.tryAcquire()).isTrue();
        List<CompletableFuture<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            callers.add(window.async().tryAcquire(HOUR));
        }
        assertThat(callers.get(0).cancel(true)).isTrue();
        assertThat(callers.get(1).complete(false)).isTrue();
        assertThat(callers.get(3).completeExceptionally(new IllegalStateException("unused")))
                .isTrue();
        callers.get(4)
                .orTimeout(1, TimeUnit.NANOSECONDS)
                .exceptionally(error -> null)
                .join();
        sleeper.run();
        // The thread of the timeout may still be the one that decides.
        await().untilAsserted(() -> assertThat(callers.get(2)).isCompletedWithValue(true));
        await().untilAsserted(() -> assertThat(sleeper.pending()).as("timers").isZero());
        clock.advance(SECOND);
        assertThat(window.tryAcquire()).isTrue();
    }

    @Test
    void a_caller_that_gives_up_while_it_is_decided_returns_its_permits_and_the_next_one_follows() {
        Limiter window = limiter(FixedWindow.of(2, SECOND));
        assertThat(window.tryAcquire(2)).isTrue();
        CompletableFuture<Boolean> sent = window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> next = window.async().tryAcquire(HOUR);
        engine.holds = true;
        sleeper.run();
        engine.held.forEach(PendingDecision::send);
        assertThat(sent.cancel(true)).isTrue();
        engine.holds = false;
        engine.answer();
        assertThat(next).isCompletedWithValue(true);
        assertThat(window.peek().remaining()).isEqualTo(1);
    }

    @Test
    void an_interrupt_neither_ends_the_wait_nor_is_lost() throws InterruptedException {
        Limiter window = limiter(FixedWindow.of(1, SECOND));
        assertThat(window.tryAcquire()).isTrue();
        AtomicBoolean granted = new AtomicBoolean();
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread caller = new Thread(() -> {
            granted.set(window.tryAcquire(HOUR));
            interrupted.set(Thread.interrupted());
        });
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        caller.interrupt();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        sleeper.run();
        caller.join();
        assertThat(granted).isTrue();
        assertThat(interrupted).isTrue();
    }

    @Test
    void the_last_caller_that_gives_up_leaves_no_timer() {
        Limiter window = limiter(FixedWindow.of(1, HOUR));
        assertThat(window.tryAcquire()).isTrue();
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        assertThat(sleeper.pending()).isEqualTo(1);
        waiting.cancel(true);
        assertThat(sleeper.pending()).isZero();
    }

    @Test
    void without_a_thread_for_the_timer_the_caller_gets_the_error() {
        Limiter window = limiter(FixedWindow.of(1, HOUR));
        assertThat(window.tryAcquire()).isTrue();
        sleeper.rejects = true;
        assertThat(window.async().tryAcquire(HOUR)).isCompletedExceptionally();
        sleeper.rejects = false;
        CompletableFuture<Boolean> later = window.async().tryAcquire(HOUR);
        sleeper.run();
        assertThat(later).isCompletedWithValue(true);
    }

    @ParameterizedTest
    @EnumSource
    void in_an_outage_the_failure_policy_decides_those_that_wait(FailurePolicy.Action action) {
        SteppingEngine local = new SteppingEngine(clock::micros, new KnownRejections(0));
        Failover failover = new Failover(engine, FailurePolicy.of(action), local, 5_000_000);
        Limiter window = limiter("k", FixedWindow.of(1, SECOND), failover);
        assertThat(window.tryAcquire()).isTrue();
        CompletableFuture<Decision> first = window.async().decide(1, HOUR);
        CompletableFuture<Decision> second = window.async().decide(1, HOUR);
        engine.failure = BackendFailures.notExecuted("k", "stopped");
        sleeper.run();
        switch (action) {
            case ALLOW -> {
                assertThat(first.join().source()).isEqualTo(Source.POLICY);
                assertThat(second.join().granted()).isTrue();
            }
            case DENY -> {
                assertThat(first.join().retryAfter()).hasValue(Duration.ofSeconds(5));
                assertThat(second.join().granted())
                        .as("no caller waits for a policy")
                        .isFalse();
            }
            case LOCAL -> {
                assertThat(first.join().source()).isEqualTo(Source.LOCAL);
                assertThat(second).isNotDone();
                sleeper.run();
                assertThat(second.join().granted()).isTrue();
            }
            case THROW -> {
                assertThatThrownBy(first::join).hasCauseInstanceOf(LimiterBackendException.class);
                assertThatThrownBy(second::join).hasCauseInstanceOf(LimiterBackendException.class);
            }
        }
    }

    @Test
    void equal_sets_are_served_in_order() {
        Limiter window = limiter("w", FixedWindow.of(10, SECOND), Failover.none(engine));
        Limiter log = limiter("l", SlidingLog.of(20, Duration.ofSeconds(2)), Failover.none(engine));
        assertThat(window.tryAcquire(10)).isTrue();
        List<Integer> served = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            int number = i;
            LimitSet.of(window.on("k"), log).async().tryAcquire(3, HOUR).thenAccept(granted -> served.add(number));
        }
        while (served.size() < 60) {
            sleeper.run();
        }
        assertThat(served).isSorted();
        assertThat(sleeper.pending()).isZero();
    }

    @Test
    void whatever_happens_each_caller_is_answered_and_no_timer_is_left() {
        Random random = Seed.random();
        Limiter window = limiter(FixedWindow.of(7, SECOND));
        assertThat(window.tryAcquire(7)).isTrue();
        List<CompletableFuture<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 ->
                    callers.add(
                            window.async().tryAcquire(1 + random.nextInt(3), Duration.ofMillis(random.nextInt(5000))));
                case 3 -> sleeper.run();
                case 4 -> engine.holds = true;
                case 5 -> {
                    engine.holds = false;
                    engine.answer();
                }
                case 6 -> clock.advance(Duration.ofMillis(random.nextInt(300)));
                default -> {
                    Collections.shuffle(callers, random);
                    if (!callers.isEmpty()) {
                        callers.get(0).cancel(true);
                    }
                }
            }
        }
        engine.holds = false;
        engine.answer();
        for (int i = 0; i < 10_000 && sleeper.pending() > 0; i++) {
            sleeper.run();
        }
        assertThat(callers).as(Seed.hint()).allMatch(CompletableFuture::isDone);
        assertThat(sleeper.pending()).as(Seed.hint() + "timers").isZero();
    }

    @Test
    void a_newcomer_does_not_wait_longer_than_it_may_for_those_that_are_decided() {
        EngineLimiter<FixedWindow> window =
                new EngineLimiter<>(new KeySpace("", "k", ""), FixedWindow.of(1, HOUR), Failover.none(engine), sleeper);
        assertThat(window.tryAcquire()).isTrue();
        window.async().tryAcquire(HOUR.multipliedBy(3));
        window.async().tryAcquire(HOUR.plusMillis(10));
        clock.advance(HOUR);
        assertThat(window.tryAcquire()).as("faster").isTrue();
        engine.holds = true;
        sleeper.run();
        sleeper.run();
        assertThat(engine.held).as("two are decided").hasSize(2);
        engine.stepping.decide(engine.held.remove(0));
        engine.reset("{k}").join();
        engine.holds = false;
        // By a live limit.
        window.bound.change(new InEffect<>(FixedWindow.of(1, SECOND), Failover.none(engine)));
        assertThat(window.tryAcquire()).isTrue();
        long before = clock.micros();
        CompletableFuture<Boolean> newcomer = window.async().tryAcquire(Duration.ofSeconds(5));
        engine.reset("{k}").join();
        engine.answer();
        assertThat(newcomer).isNotDone();
        while (!newcomer.isDone()) {
            sleeper.run();
        }
        assertThat(clock.micros() - before).isLessThanOrEqualTo(5_000_000);
    }

    @Test
    void who_may_wait_for_ever_does_not_hide_a_timeout_that_is_over() {
        Limiter window = limiter(FixedWindow.of(1, SECOND));
        assertThat(window.tryAcquire()).isTrue();
        window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> hasty = window.async().tryAcquire(Duration.ofMillis(1010));
        engine.holds = true;
        sleeper.run();
        clock.advance(SECOND);
        engine.holds = false;
        assertThat(window.tryAcquire()).as("so that the next one waits").isTrue();
        CompletableFuture<Boolean> patient = window.async().tryAcquire(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(hasty).as("decided beside the first").isCompletedWithValue(false);
        engine.answer();
        while (!patient.isDone()) {
            sleeper.run();
        }
        assertThat(patient).isCompletedWithValue(true);
    }

    @Test
    void the_code_of_a_caller_may_wait_for_the_same_permits() throws InterruptedException {
        Limiter window = limiter(FixedWindow.of(1, SECOND));
        assertThat(window.tryAcquire()).isTrue();
        CompletableFuture<Boolean> both =
                window.async().tryAcquire(HOUR).thenApply(granted -> granted && window.tryAcquire(HOUR));
        Thread caller = new Thread(sleeper::run);
        caller.setDaemon(true);
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        assertThat(sleeper.pending()).isOne();
        sleeper.run();
        caller.join();
        assertThat(both).isCompletedWithValue(true);
    }

    @Test
    void the_code_of_a_caller_may_wait_for_another_that_is_answered_with_it() throws InterruptedException {
        Limiter window = limiter(FixedWindow.of(2, SECOND));
        assertThat(window.tryAcquire(2)).isTrue();
        CompletableFuture<Boolean> other = new CompletableFuture<>();
        CompletableFuture<Boolean> both = window.async().tryAcquire(HOUR).thenApply(granted -> granted && other.join());
        window.async().tryAcquire(HOUR).thenAccept(other::complete);
        Thread caller = new Thread(sleeper::run);
        caller.setDaemon(true);
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        assertThat(sleeper.pending()).isOne();
        sleeper.run();
        caller.join();
        assertThat(both).isCompletedWithValue(true);
    }

    @Test
    void ten_thousand_callers_cost_few_decisions_after_their_first_and_one_more_is_rejected_at_once() {
        Limiter window = limiter(FixedWindow.of(10, SECOND));
        assertThat(window.tryAcquire(10)).isTrue();
        List<CompletableFuture<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < WaitingRoom.MAX_WAITING; i++) {
            callers.add(window.async().tryAcquire(Duration.ofMillis(1000 + 10 * i)));
        }
        assertThat(window.async().decide(1, HOUR))
                .isCompletedWithValueMatching(
                        rejected -> !rejected.granted() && rejected.retryAfter().equals(Optional.of(SECOND)));
        assertThat(window.on("other").async().tryAcquire(10, HOUR)).isCompletedWithValue(true);
        assertThat(window.on("other").tryAcquire(HOUR))
                .as("no room for any key")
                .isFalse();
        callers.remove(0).cancel(false);
        callers.add(window.async().tryAcquire(HOUR));
        assertThat(callers).noneMatch(CompletableFuture::isDone);
        int before = engine.stepping.requests();
        while (sleeper.pending() > 0) {
            sleeper.run();
        }
        assertThat(callers).allMatch(CompletableFuture::isDone);
        assertThat(callers.stream().filter(CompletableFuture::join)).hasSizeBetween(900, 1010);
        assertThat(engine.stepping.requests() - before).isLessThan(1200);
        assertThat(window.async().tryAcquire(11, HOUR))
                .as("more than the limit")
                .isCompletedWithValue(false);
    }
}
