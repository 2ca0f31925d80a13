package io.limiter.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Ticks every 5 ms, or later. */
class RunningClockTest {

    private static final Duration INTERVAL = Duration.ofMillis(5);

    private final TestClock ticker = new TestClock();
    private final RunningClock clock = new RunningClock(ticker, INTERVAL.toNanos());
    private final long start = clock.now();

    @Test
    void advances_with_the_ticker_while_it_ticks() {
        for (int i = 1; i <= 1000; i++) {
            ticker.advance(INTERVAL);
            assertThat(clock.now() - start).isEqualTo(i * INTERVAL.toNanos());
            assertThat(clock.tick()).isTrue();
            assertThat(clock.now() - start).isEqualTo(i * INTERVAL.toNanos());
        }
    }

    @Test
    void a_pause_counts_as_a_few_intervals_however_long_it_was() {
        ticker.advance(Duration.ofMinutes(1));
        assertThat(clock.now() - start).isEqualTo(5 * INTERVAL.toNanos());
        assertThat(clock.tick()).isFalse();
        assertThat(clock.now() - start).isEqualTo(5 * INTERVAL.toNanos());
        ticker.advance(INTERVAL);
        assertThat(clock.now() - start).isEqualTo(6 * INTERVAL.toNanos());
    }

    @Test
    void nothing_is_overdue_for_a_few_ticks_after_a_pause() {
        ticker.advance(Duration.ofMillis(500));
        for (int i = 0; i < 4; i++) {
            assertThat(clock.tick()).isFalse();
            ticker.advance(INTERVAL);
        }
        assertThat(clock.tick()).isTrue();
    }

    @Test
    void if_every_tick_is_late_time_advances_and_some_ticks_judge() {
        int judged = 0;
        for (int i = 0; i < 1000; i++) {
            ticker.advance(Duration.ofMillis(100));
            judged += clock.tick() ? 1 : 0;
        }
        assertThat(judged).isEqualTo(200);
        assertThat(clock.now() - start).isEqualTo(1000 * 5 * INTERVAL.toNanos());
    }

    @Test
    void stands_still_without_ticks_and_continues_from_there() {
        ticker.advance(Duration.ofHours(1));
        clock.start();
        assertThat(clock.now() - start).isEqualTo(5 * INTERVAL.toNanos());
        ticker.advance(INTERVAL);
        assertThat(clock.tick()).isTrue();
        assertThat(clock.now() - start).isEqualTo(6 * INTERVAL.toNanos());
    }

    @Test
    void never_goes_back() {
        ticker.advance(Duration.ofSeconds(-10));
        assertThat(clock.now()).isEqualTo(start);
        assertThat(clock.tick()).isTrue();
        ticker.advance(INTERVAL);
        assertThat(clock.now() - start).isEqualTo(INTERVAL.toNanos());
    }
}
