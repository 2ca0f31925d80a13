package io.limiter;

import static io.limiter.testing.Tickets.withoutTicket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What every count limiter does, whichever engine decides. */
abstract class CountLimiterContract {

    /** A factory on the engine under test, with keys of this test's own. */
    protected abstract LimiterFactory limiters();

    /** The clock of the engine. */
    protected abstract TestClock clock();

    @Test
    void a_window_starts_with_its_first_request() {
        Limiter limiter = limiters().build("k", FixedWindow.of(2, Duration.ofSeconds(10)));
        clock().atSecond(7);
        assertThat(limiter.tryAcquire()).isTrue();
        clock().atSecond(16.999999);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        clock().atSecond(17);
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
    }

    @Test
    void a_rejected_call_takes_nothing_and_does_not_lengthen_the_window() {
        Limiter limiter = limiters().build("k", FixedWindow.of(3, Duration.ofSeconds(10)));
        assertThat(limiter.tryAcquire(2)).isTrue();
        for (int second = 1; second < 10; second++) {
            clock().atSecond(second);
            assertThat(limiter.tryAcquire(2)).isFalse();
        }
        assertThat(limiter.tryAcquire()).isTrue();
        clock().atSecond(10);
        assertThat(limiter.tryAcquire(3)).isTrue();
    }

    @Test
    void the_decision_says_what_remains_and_when_the_window_ends() {
        Limiter limiter = limiters().build("k", FixedWindow.of(5, Duration.ofSeconds(10)));
        assertThat(limiter.peek()).isEqualTo(new Decision(true, 5, 5, 0, 0, 0));
        assertThat(withoutTicket(limiter.decide(3))).isEqualTo(new Decision(true, 5, 2, 0, 0, 10_000_000));
        clock().atSecond(4);
        assertThat(limiter.decide("who", 1).remaining()).isEqualTo(4);
        assertThat(limiter.peek(3)).isEqualTo(new Decision(false, 5, 2, 6_000_000, 6_000_000, 6_000_000));
        assertThat(limiter.decide(3)).isEqualTo(new Decision(false, 5, 2, 6_000_000, 6_000_000, 6_000_000));
        assertThat(limiter.decide(6).retryAfter()).isEmpty();
        assertThat(limiter.on("nobody").peek(6))
                .isEqualTo(new Decision(false, 5, 5, Decision.NEVER_MICROS, Decision.NEVER_MICROS, 0));
        clock().atSecond(10);
        assertThat(limiter.peek().remaining()).isEqualTo(5);
    }

    @Test
    void decide_async_decides_as_decide_does() {
        Limiter limiter = limiters().build("waiting", FixedWindow.of(4, Duration.ofSeconds(10)));
        Limiter async = limiters().build("async", FixedWindow.of(4, Duration.ofSeconds(10)));
        for (int permits : new int[] {3, 2, 5, 1, 1}) {
            assertThat(async.async().decide(permits).join()).isEqualTo(limiter.decide(permits));
            assertThat(async.on("who").async().decide(permits).join()).isEqualTo(limiter.decide("who", permits));
            clock().advance(Duration.ofSeconds(2));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> async.async().decide(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> async.on("").async().decide(1));
    }

    @Test
    void each_key_has_a_window_of_its_own() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, Duration.ofSeconds(10)));
        assertThat(limiter.tryAcquire("a")).isTrue();
        assertThat(limiter.tryAcquire("b", 1)).isTrue();
        assertThat(limiter.tryAcquire("a")).isFalse();
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void new_numbers_apply_to_an_open_window() {
        assertThat(limiters()
                        .build("k", FixedWindow.of(2, Duration.ofSeconds(100)))
                        .tryAcquire(2))
                .isTrue();
        Limiter more = limiters().build("k", FixedWindow.of(5, Duration.ofSeconds(10)));
        assertThat(more.decide(4)).isEqualTo(new Decision(false, 5, 3, 10_000_000, 10_000_000, 10_000_000));
        clock().atSecond(10);
        assertThat(more.tryAcquire(4)).isTrue();
    }

    @Test
    void a_clock_that_steps_back_gives_nothing_away_and_freezes_nobody_for_longer_than_a_period() {
        Limiter limiter = limiters().build("k", FixedWindow.of(1, Duration.ofSeconds(10)));
        assertThat(limiter.tryAcquire()).isTrue();
        clock().advance(Duration.ofDays(-1));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofSeconds(9));
        assertThat(limiter.tryAcquire()).isFalse();
        clock().advance(Duration.ofSeconds(1));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void threads_get_exactly_what_is_there() {
        Limiter limiter = limiters().build("k", FixedWindow.of(100, Duration.ofMinutes(1)));
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

    @Test
    void bad_numbers_are_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters().build("k", FixedWindow.of(0, Duration.ofSeconds(1))))
                .withMessage("limit must be between 1 and 2147483647, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters().build("k", FixedWindow.of(1, Duration.ZERO)))
                .withMessageContaining("period must be between PT0.001S");
        Limiter limiter = limiters().build("k", FixedWindow.of(1, Duration.ofSeconds(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(0));
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(""));
    }

    @Test
    void an_aligned_window_ends_by_the_clock() {
        // The clock starts at 2025-11-20T14:46:40.123456Z.
        Limiter limiter =
                limiters().build("k", FixedWindow.of(2, Duration.ofMinutes(1)).alignedTo(ZoneId.of("Europe/Berlin")));
        assertThat(limiter.decide(2).granted()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(withoutTicket(limiter.decide("who", 1))).isEqualTo(new Decision(true, 2, 1, 0, 0, untilMinute()));
        clock().sleep(untilMinute());
        assertThat(withoutTicket(limiter.decide(2))).isEqualTo(new Decision(true, 2, 0, 0, 0, 60_000_000));
        assertThat(limiter.decide(1)).isEqualTo(new Decision(false, 2, 0, 60_000_000, 60_000_000, 60_000_000));
    }

    private long untilMinute() {
        return 60_000_000 - clock().micros() % 60_000_000;
    }
}
