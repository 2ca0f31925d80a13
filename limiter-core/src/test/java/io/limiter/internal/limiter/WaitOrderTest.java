package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.KnownBans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits longest is served first: a first decision does not overtake those that wait for the same permits. */
@Tag("threads")
class WaitOrderTest extends WaitQueueFixture {

    static Stream<Limit> windows() {
        return Stream.of(FixedWindow.of(1, SECOND), SlidingLog.of(1, SECOND), SlidingCounter.of(1, SECOND));
    }

    /** Time passes until the permits of the one who waits are there, and its timer has not fired yet. */
    private void untilTheyAreThere() {
        clock.advance(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void a_caller_without_a_timeout_does_not_overtake(Limit limit) {
        Limiter window = limiter(limit);
        for (int i = 0; i < 5; i++) {
            while (window.tryAcquire()) {
                clock.advance(Duration.ofNanos(1000));
            }
            CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
            untilTheyAreThere();
            boolean granted = switch (i) {
                case 0 -> window.tryAcquire();
                case 1 -> window.decide(1).isGranted();
                case 2 -> window.async().tryAcquire().join();
                case 3 -> window.reserve(1).isGranted();
                default -> window.async().reserve(1).join().isGranted();
            };
            assertThat(granted).isFalse();
            assertThat(waiting).isCompletedWithValue(true);
        }
        assertThat(sleeper.pending()).isZero();
    }

    @ParameterizedTest
    @MethodSource("windows")
    void a_caller_with_a_timeout_does_not_overtake(Limit limit) {
        Limiter window = limiter(limit);
        assertThat(window.tryAcquire()).isTrue();
        List<String> served = new ArrayList<>();
        window.async().tryAcquire(HOUR).thenAccept(granted -> served.add("first"));
        untilTheyAreThere();
        window.async().tryAcquire(HOUR).thenAccept(granted -> served.add("second"));
        window.async().tryAcquire(HOUR).thenAccept(granted -> served.add("third"));
        while (served.size() < 3) {
            sleeper.run();
        }
        assertThat(served).containsExactly("first", "second", "third");
        assertThat(sleeper.pending()).isZero();
    }

    /** A ban makes a set of a limiter, and so does a caller. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_set_of_one_without_a_timeout_does_not_overtake(boolean hasBan) {
        EngineLimiter<FixedWindow> window = new EngineLimiter<>(
                new KeySpace("", "k", ""), FixedWindow.of(1, SECOND), Failover.none(engine), sleeper);
        if (hasBan) {
            window.bound.setBan(Ban.after(100), new KnownBans(Ticker.systemTicker()));
        }
        Limiter ann = window.on("ann");
        assertThat(ann.tryAcquire()).isTrue();
        CompletableFuture<Boolean> waiting = ann.async().tryAcquire(HOUR);
        untilTheyAreThere();
        assertThat(hasBan ? window.tryAcquire("ann") : LimitSet.of(ann).tryAcquire())
                .isFalse();
        assertThat(waiting).isCompletedWithValue(true);
        assertThat(sleeper.pending()).isZero();
    }

    @Test
    void permits_that_are_left_are_granted_without_a_wait() {
        Limiter window = used(FixedWindow.of(3, SECOND));
        CompletableFuture<Boolean> first = window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> second = window.async().tryAcquire(HOUR);
        clock.advance(SECOND);
        assertThat(window.tryAcquire()).isTrue();
        assertThat(first).isCompletedWithValue(true);
        assertThat(second).isCompletedWithValue(true);
        assertThat(window.tryAcquire()).isFalse();
        assertThat(sleeper.pending()).isZero();
    }

    @Test
    void permits_that_are_returned_early_go_to_the_one_that_waits() {
        Limiter window = used(FixedWindow.of(2, SECOND));
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        assertThat(window.tryAcquire()).isFalse();
        window.refund(1);
        assertThat(window.tryAcquire()).isFalse();
        assertThat(waiting).isCompletedWithValue(true);
        window.refund(1);
        assertThat(window.tryAcquire()).isTrue();
    }

    @Test
    void a_timeout_before_the_next_turn_is_rejected_immediately() {
        Limiter window = used(FixedWindow.of(1, SECOND));
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        assertThat(window.async().decide(1, Duration.ofMillis(999)))
                .isCompletedWithValueMatching(
                        rejected -> !rejected.isGranted() && rejected.retryAfterMicros() == 1_000_000);
        assertThat(waiting).isNotDone();
        sleeper.run();
        assertThat(waiting).isCompletedWithValue(true);
    }

    @Test
    void a_caller_that_comes_while_the_first_one_is_decided_stands_behind_all() {
        Limiter window = used(FixedWindow.of(2, SECOND));
        CompletableFuture<Boolean> first = window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> second = window.async().tryAcquire(HOUR);
        engine.holds = true;
        sleeper.run();
        CompletableFuture<Boolean> late = window.async().tryAcquire();
        assertThat(engine.held).as("the first").hasSize(1);
        engine.holds = false;
        engine.answer();
        assertThat(first).isCompletedWithValue(true);
        assertThat(second).isCompletedWithValue(true);
        assertThat(late).isCompletedWithValue(false);
    }

    @Test
    void equal_sets_do_not_overtake_each_other() {
        Limiter window = used(FixedWindow.of(1, SECOND));
        Limiter log = limiter("l", SlidingLog.of(9, SECOND), Failover.none(engine));
        CompletableFuture<Boolean> waiting = LimitSet.of(window, log).async().tryAcquire(1, HOUR);
        clock.advance(SECOND);
        LimitSet.of(window, log).async().tryAcquire(1, HOUR);
        sleeper.runDue();
        assertThat(waiting).isCompletedWithValue(true);
        assertThat(log.peek().remaining()).isEqualTo(8);
    }

    @Test
    void a_caller_under_another_limit_does_not_stand_behind() {
        EngineLimiter<FixedWindow> window = (EngineLimiter<FixedWindow>) used(FixedWindow.of(1, SECOND));
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        // By a live limit.
        window.bound.change(new EffectiveLimit<>(FixedWindow.of(5, SECOND), Failover.none(engine)));
        assertThat(window.tryAcquire()).isTrue();
        assertThat(waiting).isNotDone();
        sleeper.run();
        assertThat(waiting).isCompletedWithValue(true);
    }

    @Test
    void a_caller_that_gives_up_leaves_those_behind_it_in_order() {
        Limiter window = used(FixedWindow.of(1, SECOND));
        CompletableFuture<Boolean> first = window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> second = window.async().tryAcquire(HOUR);
        first.cancel(false);
        clock.advance(SECOND);
        assertThat(window.tryAcquire()).isFalse();
        assertThat(second).isCompletedWithValue(true);
        assertThat(sleeper.pending()).isZero();
    }
}
