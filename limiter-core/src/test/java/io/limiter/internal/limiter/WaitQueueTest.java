package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingLog;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.waiting.WaitingRoom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many callers that wait: who is decided when. */
@Tag("threads")
class WaitQueueTest extends WaitQueueFixture {

    @Test
    void two_hundred_callers_are_served_in_order_ten_in_each_window() {
        Limiter window = used(FixedWindow.of(10, SECOND));
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
        CompletableFuture<Boolean> ofKey = log.async().on("key").tryAcquire(HOUR);
        sleeper.run();
        assertThat(one).isCompletedWithValue(true);
        assertThat(ofKey).isCompletedWithValue(true);
        sleeper.run();
        assertThat(both).isCompletedWithValue(true);
    }

    @Test
    void a_caller_is_rejected_with_the_retry_after_as_soon_as_that_exceeds_what_is_left() {
        Limiter window = used(FixedWindow.of(1, SECOND));
        CompletableFuture<Decision> first = window.async().decide(1, Duration.ofMillis(1500));
        CompletableFuture<Decision> second = window.async().decide(1, Duration.ofMillis(1999));
        CompletableFuture<Decision> third = window.async().decide(1, Duration.ofMillis(1500));
        CompletableFuture<Decision> fourth = window.async().decide(1, Duration.ofMillis(2000));
        sleeper.run();
        assertThat(first).isCompletedWithValueMatching(Decision::isGranted);
        assertThat(second.join().retryAfter()).hasValue(SECOND);
        assertThat(third.join().retryAfter()).hasValue(SECOND);
        assertThat(fourth).isNotDone();
        sleeper.run();
        assertThat(fourth).isCompletedWithValueMatching(Decision::isGranted);
    }

    @Test
    void permits_that_others_took_are_waited_for_again() {
        Limiter window = used(FixedWindow.of(2, SECOND));
        CompletableFuture<Boolean> waiting = window.async().tryAcquire(HOUR);
        clock.advance(SECOND);
        assertThat(window.tryAcquire(2)).as("faster").isTrue();
        sleeper.run();
        assertThat(waiting).isNotDone();
        sleeper.run();
        assertThat(waiting).isCompletedWithValue(true);
    }

    @Test
    void a_timeout_that_ends_while_others_are_decided_is_decided_independently_of_them() {
        Limiter window = used(FixedWindow.of(1, SECOND));
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

    /** In one queue, the fast plan waits for the permits of the slow one. */
    @Test
    void sets_of_two_plans_do_not_wait_for_each_other() {
        Limiter other = limiter("other", FixedWindow.of(100, SECOND), Failover.none(engine));
        Limiter slow = limiter(FixedWindow.of(1, Duration.ofSeconds(5)));
        Limiter fast = limiter(FixedWindow.of(20, SECOND));
        assertThat(slow.tryAcquire()).isTrue();
        assertThat(fast.tryAcquire(19)).isTrue();
        CompletableFuture<Boolean> bySlow = LimitSet.of(other, slow).async().tryAcquire(1, HOUR);
        List<CompletableFuture<Boolean>> byFast = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            byFast.add(LimitSet.of(other, fast).async().tryAcquire(1, HOUR));
        }
        assertThat(byFast).noneMatch(CompletableFuture::isDone);
        clock.advance(SECOND);
        sleeper.runDue();
        assertThat(byFast).allMatch(granted -> granted.getNow(false));
        assertThat(bySlow).isNotDone();
        sleeper.run();
        assertThat(bySlow).isCompletedWithValue(true);
    }

    @Test
    void a_newcomer_does_not_wait_longer_than_it_may_for_those_that_are_decided() {
        EngineLimiter<FixedWindow> window =
                new EngineLimiter<>(new KeySpace("", "k", ""), FixedWindow.of(1, HOUR), Failover.none(engine), sleeper);
        assertThat(window.tryAcquire()).isTrue();
        window.async().tryAcquire(HOUR.multipliedBy(3));
        window.async().tryAcquire(HOUR.plusMillis(10));
        clock.advance(HOUR);
        assertThat(elsewhere(FixedWindow.of(1, HOUR)).tryAcquire()).as("faster").isTrue();
        engine.holds = true;
        sleeper.run();
        sleeper.run();
        assertThat(engine.held).as("two are decided").hasSize(2);
        engine.stepping.decide(engine.held.remove(0));
        engine.reset("{k}").join();
        engine.holds = false;
        // By a live limit.
        window.bound.change(new EffectiveLimit<>(FixedWindow.of(1, SECOND), Failover.none(engine)));
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
    void a_caller_that_may_wait_for_ever_does_not_hide_a_timeout_that_has_ended() {
        Limiter window = used(FixedWindow.of(1, SECOND));
        window.async().tryAcquire(HOUR);
        CompletableFuture<Boolean> hasty = window.async().tryAcquire(Duration.ofMillis(1010));
        engine.holds = true;
        sleeper.run();
        clock.advance(SECOND);
        engine.holds = false;
        assertThat(elsewhere(FixedWindow.of(1, SECOND)).tryAcquire())
                .as("so that the next one waits")
                .isTrue();
        CompletableFuture<Boolean> patient = window.async().tryAcquire(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(hasty).as("decided while the first waits").isCompletedWithValue(false);
        engine.answer();
        while (!patient.isDone()) {
            sleeper.run();
        }
        assertThat(patient).isCompletedWithValue(true);
    }

    @Test
    void a_wait_that_cannot_begin_takes_no_room_from_others() {
        EngineLimiter<FixedWindow> window = new EngineLimiter<>(
                new KeySpace("", "k", ""), FixedWindow.of(1, SECOND), Failover.none(engine), sleeper);
        AtomicBoolean fails = new AtomicBoolean(true);
        EngineObserver observer = new EngineObserver() {
            @Override
            public MayWait mayWait() {
                return limiter -> {
                    if (fails.get()) {
                        throw new OutOfMemoryError("planted");
                    }
                    return () -> {};
                };
            }
        };
        window.bound()
                .setCounters(new LimiterCounters("", "k", observer, ListenerNotifier.NONE, Ticker.systemTicker()));
        assertThat(window.tryAcquire()).isTrue();
        for (int i = 0; i < WaitingRoom.MAX_WAITING; i++) {
            assertThat(window.async().tryAcquire(HOUR)).isCompletedExceptionally();
        }
        fails.set(false);
        assertThat(window.async().tryAcquire(HOUR)).isNotDone();
    }

    @Test
    void ten_thousand_callers_cost_few_decisions_after_their_first_and_one_more_is_rejected_immediately() {
        Limiter window = used(FixedWindow.of(10, SECOND));
        List<CompletableFuture<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < WaitingRoom.MAX_WAITING; i++) {
            callers.add(window.async().tryAcquire(Duration.ofMillis(1000 + 10 * i)));
        }
        assertThat(window.async().decide(1, HOUR))
                .isCompletedWithValueMatching(rejected ->
                        !rejected.isGranted() && rejected.retryAfter().equals(Optional.of(SECOND)));
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
