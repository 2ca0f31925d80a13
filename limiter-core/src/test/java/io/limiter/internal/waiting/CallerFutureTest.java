package io.limiter.internal.waiting;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Fallback;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.Sleeper;
import io.limiter.testing.Concurrently;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Futures that wait for permits, and the permits of those that are given up. */
@Tag("threads")
class CallerFutureTest {

    private static final Outcome IN_A_SECOND = outcome(true, 10, 0, 1_000_000, 0, 11_000_000);
    private static final Outcome AT_ONCE = outcome(true, 10, 0, 0, 0, 11_000_000);
    private static final List<Predicate<CompletableFuture<Boolean>>> COMPLETIONS = List.of(
            future -> future.cancel(false),
            future -> future.complete(true),
            future -> future.complete(false),
            future -> future.completeExceptionally(new IllegalStateException("unused")));
    private static final Outcome REJECTED = outcome(false, 10, 0, 1_000_000, 1_000_000, 11_000_000);

    private final AtomicInteger returned = new AtomicInteger();
    private final Ask decided = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), new Fallback() {
        @Override
        public Outcome answer(LimiterBackendException failure, Ask pending) {
            throw failure;
        }

        @Override
        public CompletableFuture<?> returnUnused(Outcome answer, Ask pending) {
            returned.addAndGet(answer.isGranted() ? 1 : 0);
            return CompletableFuture.completedFuture(null);
        }
    });
    private final List<Runnable> timers = new CopyOnWriteArrayList<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final Sleeper sleeper = new Sleeper() {
        @Override
        public void sleep(long micros) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Runnable later(long micros, Runnable action) {
            if (!hasTimers) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            timers.add(action);
            return () -> timers.remove(action);
        }
    };
    private final Waits waits = new Waits(sleeper);
    private final CallerFuture<Boolean> awaited = new CallerFuture<>(
            "k",
            decided::giveUp,
            decided,
            (decision, error) -> {},
            decision -> decision.isGranted() ? decision.waitMicros() : 0,
            waits,
            decision -> {
                begun.incrementAndGet();
                return ended::incrementAndGet;
            },
            Outcome::isGranted);
    private boolean hasTimers = true;
    private boolean completed;

    /** For example a limit of an application, whose capacity is compared with the permits. */
    @Test
    void what_counting_throws_fails_it_and_returns_the_permits() {
        IllegalStateException thrown = new IllegalStateException("counting");
        CallerFuture<Boolean> uncounted = new CallerFuture<>(
                "k",
                decided::giveUp,
                decided,
                (decision, error) -> {
                    throw thrown;
                },
                decision -> 0,
                waits,
                decision -> () -> {},
                Outcome::isGranted);
        decided.answer(AT_ONCE);
        assertThat(uncounted).failsWithin(Duration.ZERO).withThrowableThat().withCause(thrown);
        assertThat(returned).hasValue(1);
    }

    @Test
    void it_is_completed_when_the_permits_come_due() {
        decided.answer(IN_A_SECOND);
        assertThat(awaited).isNotDone();
        assertThat(begun).hasValue(1);
        assertThat(ended).hasValue(0);
        List.copyOf(timers).forEach(Runnable::run);
        assertThat(ended).hasValue(1);
        assertThat(awaited).isCompletedWithValue(true);
        assertThat(awaited.cancel(true)).isFalse();
        assertThat(returned).hasValue(0);
    }

    @Test
    void a_cancelled_wait_returns_its_permits_once() {
        decided.answer(IN_A_SECOND);
        assertThat(awaited.cancel(false)).isTrue();
        assertThat(ended).hasValue(1);
        assertThat(awaited.cancel(false)).as("it can still be cancelled").isTrue();
        List.copyOf(timers).forEach(Runnable::run);
        assertThat(awaited).isCancelled();
        assertThat(returned).hasValue(1);
    }

    @Test
    void a_request_withdrawn_before_its_decision_returns_nothing() {
        awaited.cancel(true);
        assertThat(decided).isCancelled();
        assertThat(returned).hasValue(0);
    }

    @Test
    void a_request_cancelled_after_it_was_sent_returns_its_permits_once_it_is_decided() {
        decided.markSent();
        assertThat(awaited.cancel(true)).isTrue();
        assertThat(returned).hasValue(0);
        decided.answer(IN_A_SECOND);
        assertThat(returned).hasValue(1);
    }

    @Test
    void a_rejection_returns_nothing() {
        decided.answer(REJECTED);
        assertThat(awaited).isCompletedWithValue(false);
        awaited.cancel(true);
        assertThat(returned).hasValue(0);
    }

    @Test
    void a_cancelled_wait_leaves_no_timer() {
        decided.answer(IN_A_SECOND);
        assertThat(timers).hasSize(1);
        awaited.cancel(false);
        assertThat(timers).isEmpty();
    }

    @Test
    void without_a_timer_it_fails_and_returns_its_permits() {
        hasTimers = false;
        decided.answer(IN_A_SECOND);
        assertThat(awaited).isCompletedExceptionally();
        assertThat(ended).hasValue(1);
        assertThat(returned).hasValue(1);
    }

    @Test
    void a_result_that_throws_returns_the_permits() {
        CallerFuture<Boolean> failing = new CallerFuture<>(
                "k",
                decided::giveUp,
                decided.copy(),
                (decision, error) -> {},
                decision -> 0,
                waits,
                decision -> () -> {},
                decision -> {
                    throw new IllegalStateException("planted");
                });
        decided.answer(IN_A_SECOND);
        assertThat(failing).isCompletedExceptionally();
        assertThat(returned).hasValue(1);
    }

    @Test
    void a_late_answer_after_the_failure_policy_decided_counts_as_spent() {
        decided.markSent();
        decided.fail(BackendFailures.ambiguous("k", "planted", null), Runnable::run);
        assertThat(awaited).isCompletedExceptionally();
        assertThat(decided.answer(IN_A_SECOND)).isFalse();
        assertThat(returned).hasValue(0);
    }

    /** What a caller can do to a future that is not completed; each counts as giving it up. */
    static Stream<Predicate<CompletableFuture<Boolean>>> completions() {
        return Stream.concat(
                COMPLETIONS.stream(),
                Stream.of(
                        future ->
                                future.completeAsync(() -> true, Runnable::run).isDone(),
                        future -> {
                            future.obtrudeValue(true);
                            return true;
                        },
                        future -> {
                            future.obtrudeException(new IllegalStateException("unused"));
                            return true;
                        }));
    }

    @ParameterizedTest
    @MethodSource("completions")
    void a_wait_completed_by_its_caller_returns_its_permits(Predicate<CompletableFuture<Boolean>> completion) {
        decided.answer(IN_A_SECOND);
        assertThat(completion.test(awaited)).isTrue();
        assertThat(returned).hasValue(1);
        assertThat(timers).isEmpty();
        assertThat(ended).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("completions")
    void a_sent_request_completed_by_its_caller_returns_its_permits(Predicate<CompletableFuture<Boolean>> completion) {
        decided.markSent();
        assertThat(completion.test(awaited)).isTrue();
        decided.answer(IN_A_SECOND);
        assertThat(returned).hasValue(1);
    }

    /** Either the caller has the grant, or it is returned, whenever the two meet. */
    @RepeatedTest(20)
    void a_grant_is_either_handed_over_or_returned(RepetitionInfo repetition) {
        Random random = new Random(Seed.VALUE + repetition.getCurrentRepetition());
        for (int i = 0; i < 200; i++) {
            CallerFutureTest each = new CallerFutureTest();
            Outcome decision = random.nextBoolean() ? IN_A_SECOND : AT_ONCE;
            Predicate<CompletableFuture<Boolean>> completion = COMPLETIONS.get(random.nextInt(COMPLETIONS.size()));
            AtomicBoolean first = new AtomicBoolean(true);
            int spins = random.nextInt(200);
            Concurrently.run(2, () -> {
                if (first.getAndSet(false)) {
                    each.decided.markSent();
                    each.decided.answer(decision);
                    List.copyOf(each.timers).forEach(Runnable::run);
                } else {
                    for (int spin = 0; spin < spins; spin++) {
                        Thread.onSpinWait();
                    }
                    each.completed = completion.test(each.awaited);
                }
            });
            assertThat(each.returned).as("%s%d", Seed.hint(), i).hasValue(each.completed ? 1 : 0);
            assertThat(each.ended).hasValue(each.begun.get());
        }
    }
}
