package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Sleeper;
import io.limiter.testing.HandSleeper;
import io.limiter.testing.Seed;
import io.limiter.testing.SteppingEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Waits that end otherwise than by a grant: given up, interrupted, or in an outage; and the code of callers that runs then. */
@Tag("threads")
class WaitQueueEndTest extends WaitQueueFixture {

    @Test
    void a_caller_that_gives_up_takes_nothing_and_holds_up_no_other() {
        Limiter window = used(FixedWindow.of(1, SECOND));
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
        Limiter window = used(FixedWindow.of(2, SECOND));
        CompletableFuture<Boolean> sent = window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> next = window.async().tryAcquire(HOUR);
        engine.holds = true;
        sleeper.run();
        engine.held.forEach(Ask::markSent);
        assertThat(sent.cancel(true)).isTrue();
        engine.holds = false;
        engine.answer();
        assertThat(next).isCompletedWithValue(true);
        assertThat(window.peek().remaining()).isEqualTo(1);
    }

    @Test
    void an_interrupt_neither_ends_the_wait_nor_is_lost() throws InterruptedException {
        Limiter window = used(FixedWindow.of(1, SECOND));
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
        Limiter window = used(FixedWindow.of(1, HOUR));
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        assertThat(sleeper.pending()).isEqualTo(1);
        waiting.cancel(true);
        assertThat(sleeper.pending()).isZero();
    }

    @Test
    void without_a_thread_for_the_timer_the_caller_gets_the_error() {
        Limiter window = used(FixedWindow.of(1, HOUR));
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
        SteppingEngine local = new SteppingEngine(clock::micros);
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
                assertThat(second.join().isGranted()).isTrue();
            }
            case DENY -> {
                assertThat(first.join().retryAfter()).hasValue(Duration.ofSeconds(5));
                assertThat(second.join().isGranted())
                        .as("no caller waits for a policy")
                        .isFalse();
            }
            case LOCAL -> {
                assertThat(first.join().source()).isEqualTo(Source.LOCAL);
                assertThat(second).isNotDone();
                sleeper.run();
                assertThat(second.join().isGranted()).isTrue();
            }
            case THROW -> {
                assertThatThrownBy(first::join).hasCauseInstanceOf(LimiterBackendException.class);
                assertThatThrownBy(second::join).hasCauseInstanceOf(LimiterBackendException.class);
            }
        }
    }

    @Test
    void whatever_happens_each_caller_is_answered_and_no_timer_is_left() {
        Random random = Seed.random();
        Limiter window = used(FixedWindow.of(7, SECOND));
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
    void the_code_of_a_caller_may_wait_for_the_same_permits() throws InterruptedException {
        Limiter window = used(FixedWindow.of(1, SECOND));
        CompletableFuture<Boolean> both =
                window.async().tryAcquire(HOUR).thenApply(granted -> granted && window.tryAcquire(HOUR));
        runUntilItWaits();
        assertThat(both).isCompletedWithValue(true);
    }

    @Test
    void the_code_of_a_caller_may_wait_for_another_that_is_answered_with_it() throws InterruptedException {
        Limiter window = used(FixedWindow.of(2, SECOND));
        CompletableFuture<Boolean> other = new CompletableFuture<>();
        CompletableFuture<Boolean> both = window.async().tryAcquire(HOUR).thenApply(granted -> granted && other.join());
        window.async().tryAcquire(HOUR).thenAccept(other::complete);
        runUntilItWaits();
        assertThat(both).isCompletedWithValue(true);
    }

    /** Fires a timer whose callers wait for a second one, which is fired then. */
    private void runUntilItWaits() throws InterruptedException {
        Thread caller = new Thread(sleeper::run);
        caller.setDaemon(true);
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        assertThat(sleeper.pending()).isOne();
        sleeper.run();
        caller.join();
    }

    /** As where an unmounted virtual thread has ended the queue and the next caller has the only carrier. */
    @Test
    void a_caller_does_not_wait_for_the_thread_that_has_ended_the_queue() throws Exception {
        CountDownLatch goesOn = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Sleeper stuck = new HandSleeper(clock) {
            @Override
            public Runnable later(long micros, Runnable action) {
                Runnable cancel = super.later(micros, action);
                return () -> {
                    ends.countDown();
                    Uninterruptibles.awaitUninterruptibly(goesOn);
                    cancel.run();
                };
            }
        };
        Limiter window = new EngineLimiter<>(
                new KeySpace("", "k", ":window"), FixedWindow.of(1, SECOND), Failover.none(engine), stuck);
        assertThat(window.tryAcquire()).isTrue();
        CompletableFuture<Boolean> last = window.async().tryAcquire(HOUR);
        Thread ender = new Thread(() -> last.cancel(false));
        ender.setDaemon(true);
        ender.start();
        ends.await();
        CompletableFuture<CompletableFuture<Boolean>> next = new CompletableFuture<>();
        Thread caller = new Thread(() -> next.complete(window.async().tryAcquire(HOUR)));
        caller.setDaemon(true);
        caller.start();
        assertThat(next.get(1, TimeUnit.MINUTES)).isNotDone();
        goesOn.countDown();
        ender.join();
    }
}
