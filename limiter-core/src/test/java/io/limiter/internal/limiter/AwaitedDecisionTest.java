package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Decision;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.Pending;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A wait that holds no thread, and what becomes of its permits if it is given up. */
class AwaitedDecisionTest {

    private static final Decision IN_A_SECOND = new Decision(true, 10, 0, 1_000_000, 0, 11_000_000);
    private static final Decision REJECTED = new Decision(false, 10, 0, 1_000_000, 1_000_000, 11_000_000);

    private final Pending<Decision> decided = new Pending<>("k", null);
    private final List<Runnable> timers = new ArrayList<>();
    private final AtomicInteger givenBack = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AwaitedDecision<Decision> awaited = new AwaitedDecision<>(
            decided,
            decided,
            Function.identity(),
            new Sleeper() {
                @Override
                public void sleep(long micros) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public Runnable later(long micros, Runnable action) {
                    timers.add(action);
                    return () -> timers.remove(action);
                }
            },
            decision -> {
                begun.incrementAndGet();
                return ended::incrementAndGet;
            },
            decision -> givenBack.incrementAndGet());

    @Test
    void it_is_there_when_the_permits_are() {
        decided.complete(IN_A_SECOND);
        assertThat(awaited).isNotDone();
        assertThat(begun).hasValue(1);
        assertThat(ended).hasValue(0);
        List.copyOf(timers).forEach(Runnable::run);
        assertThat(ended).hasValue(1);
        assertThat(awaited).isCompletedWithValue(IN_A_SECOND);
        assertThat(awaited.cancel(true)).isFalse();
        assertThat(givenBack).hasValue(0);
    }

    @Test
    void a_wait_that_is_cancelled_gives_its_permits_back_once() {
        decided.complete(IN_A_SECOND);
        assertThat(awaited.cancel(false)).isTrue();
        assertThat(ended).hasValue(1);
        assertThat(awaited.cancel(false)).as("is cancelled still").isTrue();
        List.copyOf(timers).forEach(Runnable::run);
        assertThat(awaited).isCancelled();
        assertThat(givenBack).hasValue(1);
    }

    @Test
    void what_is_withdrawn_before_it_was_decided_has_nothing_to_give_back() {
        awaited.cancel(true);
        assertThat(decided).isCancelled();
        assertThat(givenBack).hasValue(0);
    }

    @Test
    void what_was_sent_when_it_is_cancelled_gives_its_permits_back_once_it_is_decided() {
        decided.send();
        assertThat(awaited.cancel(true)).isTrue();
        assertThat(decided).isNotDone();
        decided.complete(IN_A_SECOND);
        assertThat(givenBack).hasValue(1);
    }

    @Test
    void a_rejection_has_nothing_to_give_back() {
        decided.complete(REJECTED);
        assertThat(awaited).isCompletedWithValue(REJECTED);
        awaited.cancel(true);
        assertThat(givenBack).hasValue(0);
    }

    @Test
    void a_wait_that_is_cancelled_leaves_no_timer() {
        decided.complete(IN_A_SECOND);
        assertThat(timers).hasSize(1);
        awaited.cancel(false);
        assertThat(timers).isEmpty();
    }

    @Test
    void where_there_is_no_timer_it_fails_and_nobody_waits() {
        decided.complete(IN_A_SECOND);
        AwaitedDecision<Decision> untimed = new AwaitedDecision<>(
                decided,
                decided,
                Function.identity(),
                new Sleeper() {
                    @Override
                    public void sleep(long micros) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public Runnable later(long micros, Runnable action) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                },
                decision -> ended::incrementAndGet,
                decision -> givenBack.incrementAndGet());
        assertThat(untimed).isCompletedExceptionally();
        assertThat(ended).hasValue(1);
    }
}
