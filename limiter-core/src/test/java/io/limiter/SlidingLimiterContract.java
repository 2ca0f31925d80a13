package io.limiter;

import static io.limiter.testing.Tickets.withoutTicket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What limiters with a sliding log or a sliding counter do, whichever engine decides. */
abstract class SlidingLimiterContract {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine. */
    protected abstract TestClock clock();

    @Test
    void a_log_gives_each_permit_back_one_period_after_it_was_taken() {
        Limiter limiter = log(3);
        clock().atSecond(9);
        assertThat(limiter.tryAcquire(2)).isTrue();
        clock().atSecond(11);
        assertThat(limiter.tryAcquire(2)).isFalse();
        assertThat(limiter.tryAcquire()).isTrue();
        clock().atSecond(18.999999);
        assertThat(limiter.tryAcquire()).isFalse();
        clock().atSecond(19);
        assertThat(limiter.tryAcquire(3)).isFalse();
        assertThat(limiter.tryAcquire(2)).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void the_decision_of_a_log_says_what_remains_and_when_enough_comes_back() {
        Limiter limiter = log(3);
        assertThat(limiter.peek()).isEqualTo(new Decision(true, 3, 3, 0, 0, 0));
        assertThat(withoutTicket(limiter.decide(1))).isEqualTo(new Decision(true, 3, 2, 0, 0, 10_000_000));
        clock().atSecond(2);
        assertThat(withoutTicket(limiter.decide(2))).isEqualTo(new Decision(true, 3, 0, 0, 0, 10_000_000));
        clock().atSecond(4);
        assertThat(limiter.decide(1)).isEqualTo(new Decision(false, 3, 0, 6_000_000, 6_000_000, 8_000_000));
        assertThat(limiter.decide(2)).isEqualTo(new Decision(false, 3, 0, 8_000_000, 8_000_000, 8_000_000));
        assertThat(limiter.peek(3)).isEqualTo(new Decision(false, 3, 0, 8_000_000, 8_000_000, 8_000_000));
        assertThat(limiter.decide(4).retryAfter()).isEmpty();
        clock().atSecond(4.5);
        assertThat(limiter.decide(1).retryAfter()).hasValue(Duration.ofMillis(5_500));
        assertThat(limiter.decide(3).retryAfter()).hasValue(Duration.ofMillis(7_500));
    }

    @Test
    void a_log_takes_back_the_newest_and_is_charged_beyond_its_limit() {
        Limiter limiter = log(3);
        assertThat(limiter.tryAcquire()).isTrue();
        clock().atSecond(5);
        assertThat(limiter.tryAcquire(2)).isTrue();
        assertThat(limiter.refund(2)).isEqualTo(new Decision(true, 3, 2, 0, 0, 5_000_000));
        assertThat(withoutTicket(limiter.charge(7))).isEqualTo(new Decision(true, 3, 0, 0, 0, 10_000_000));
        clock().atSecond(14.999999);
        assertThat(limiter.tryAcquire()).isFalse();
        clock().atSecond(15);
        assertThat(limiter.tryAcquire(3)).isTrue();
        assertThat(limiter.refund(100).remaining()).isEqualTo(3);
    }

    @Test
    void a_counter_lets_the_previous_window_fade() {
        Limiter limiter = counter(10);
        toTheStartOfAWindow(limiter);
        assertThat(withoutTicket(limiter.decide(10))).isEqualTo(new Decision(true, 10, 0, 0, 0, 20_000_000));
        assertThat(limiter.decide(1)).isEqualTo(new Decision(false, 10, 0, 11_000_000, 11_000_000, 20_000_000));
        clock().advance(Duration.ofSeconds(14));
        assertThat(limiter.peek()).isEqualTo(new Decision(true, 10, 4, 0, 0, 6_000_000));
        assertThat(limiter.decide(5)).isEqualTo(new Decision(false, 10, 4, 1_000_000, 1_000_000, 6_000_000));
        assertThat(withoutTicket(limiter.decide(4))).isEqualTo(new Decision(true, 10, 0, 0, 0, 16_000_000));
        assertThat(limiter.decide(11).retryAfter()).isEmpty();
        clock().advance(Duration.ofSeconds(16));
        assertThat(limiter.peek()).isEqualTo(new Decision(true, 10, 10, 0, 0, 0));
    }

    @Test
    void a_counter_takes_back_the_newest_and_is_charged_beyond_its_limit() {
        Limiter limiter = counter(10);
        toTheStartOfAWindow(limiter);
        assertThat(limiter.tryAcquire(10)).isTrue();
        clock().advance(TEN_SECONDS);
        assertThat(limiter.charge(5).remaining()).isZero();
        assertThat(limiter.refund(7).remaining()).isEqualTo(2);
        assertThat(limiter.refund(100)).isEqualTo(new Decision(true, 10, 10, 0, 0, 0));
    }

    @Test
    void a_rejected_call_takes_nothing() {
        for (Limiter limiter : both(3)) {
            assertThat(limiter.tryAcquire(2)).isTrue();
            for (int i = 0; i < 9; i++) {
                assertThat(limiter.tryAcquire(2)).isFalse();
                assertThat(limiter.tryAcquire(4)).isFalse();
            }
            assertThat(limiter.tryAcquire()).isTrue();
        }
    }

    @Test
    void each_key_has_permits_of_its_own() {
        for (Limiter limiter : both(1)) {
            assertThat(limiter.tryAcquire("a")).isTrue();
            assertThat(limiter.tryAcquire("b", 1)).isTrue();
            assertThat(limiter.tryAcquire("a")).isFalse();
            assertThat(limiter.tryAcquire()).isTrue();
        }
    }

    @Test
    void decide_async_decides_as_decide_does() {
        for (Limiter limiter : both(4)) {
            for (int permits : new int[] {3, 2, 5, 1, 1}) {
                assertThat(limiter.on("async").async().decide(permits).join())
                        .isEqualTo(limiter.decide("waiting", permits));
                clock().advance(Duration.ofSeconds(2));
            }
        }
    }

    @Test
    void new_numbers_apply_at_once_to_what_was_taken() {
        for (Limiter limiter : both(2)) {
            assertThat(limiter.tryAcquire(2)).isTrue();
        }
        for (Limiter limiter : both(5)) {
            assertThat(limiter.tryAcquire(4)).isFalse();
            assertThat(limiter.tryAcquire(3)).isTrue();
        }
        assertThat(limiters().build("k", SlidingLog.of(6, Duration.ofHours(1))).peek(2))
                .isEqualTo(new Decision(false, 6, 1, 3_600_000_000L, 3_600_000_000L, 3_600_000_000L));
        assertThat(limiters()
                        .build("k", SlidingCounter.of(6, Duration.ofHours(1)))
                        .tryAcquire(2))
                .isFalse();
    }

    @Test
    void counters_of_two_periods_that_take_turns_go_on_granting() {
        int granted = 0;
        for (int second = 0; second < 600; second++) {
            SlidingCounter limit = SlidingCounter.of(10, second % 2 == 0 ? TEN_SECONDS : TEN_SECONDS.multipliedBy(2));
            granted += limiters().build("turns", limit).tryAcquire() ? 1 : 0;
            clock().advance(Duration.ofSeconds(1));
        }
        // The looser one allows a permit a second, and is asked every other one.
        assertThat(granted).isGreaterThanOrEqualTo(290);
    }

    @Test
    void a_clock_that_steps_back_gives_nothing_away_and_freezes_nobody_for_ever() {
        for (Limiter limiter : both(1)) {
            assertThat(limiter.tryAcquire()).isTrue();
            clock().advance(Duration.ofDays(-1));
            assertThat(limiter.tryAcquire()).isFalse();
            clock().advance(Duration.ofMillis(9_999));
            assertThat(limiter.tryAcquire()).isFalse();
            clock().advance(Duration.ofMillis(limiter.limit() instanceof SlidingLog ? 1 : 10_001));
            assertThat(limiter.tryAcquire()).isTrue();
        }
    }

    @Test
    void another_kind_under_the_same_name_and_prefix_starts_clean() {
        List<Limit<?>> kinds = List.of(
                TokenBucket.of(1, 1),
                FixedWindow.of(1, TEN_SECONDS),
                SlidingLog.of(1, TEN_SECONDS),
                SlidingCounter.of(1, TEN_SECONDS),
                SlidingLog.of(1, TEN_SECONDS),
                FixedWindow.of(1, TEN_SECONDS));
        for (int i = 0; i < kinds.size(); i++) {
            Limiter limiter = limiters().build("switched", kinds.get(i));
            // The last two had been there before.
            assertThat(limiter.tryAcquire("who")).as(limiter.toString()).isEqualTo(i < 4);
            assertThat(limiter.tryAcquire("who")).isFalse();
        }
    }

    @Test
    void threads_get_exactly_what_is_there() {
        for (Limiter limiter : both(100)) {
            AtomicInteger granted = new AtomicInteger();
            Concurrently.run(8, () -> {
                for (int i = 0; i < 25; i++) {
                    if (limiter.tryAcquire()) {
                        granted.incrementAndGet();
                    }
                }
            });
            assertThat(granted).hasValue(100);
        }
    }

    @Test
    void bad_requests_are_an_error() {
        for (Limiter limiter : both(1)) {
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(0));
            assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(""));
        }
    }

    private Limiter log(int limit) {
        return limiters().build("k", SlidingLog.of(limit, TEN_SECONDS));
    }

    private Limiter counter(int limit) {
        return limiters().build("k", SlidingCounter.of(limit, TEN_SECONDS));
    }

    private List<Limiter> both(int limit) {
        return List.of(log(limit), counter(limit));
    }

    /** The engines' clocks do not agree on it: what is taken now counts until the end of the next window. */
    private void toTheStartOfAWindow(Limiter limiter) {
        Duration untilEndOfNext = limiter.decide("probe", 1).fullAfter();
        clock().advance(untilEndOfNext.minus(TEN_SECONDS));
    }
}
