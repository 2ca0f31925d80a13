package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.Verdict;
import io.limiter.testing.Timeline;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingCounterTest {

    /** The start of a window of 10 s, and of one of 1 h. */
    private static final long START = 1_763_650_800_000_000L;

    private static final SlidingCounter TEN_IN_TEN = SlidingCounter.of(10, Duration.ofSeconds(10));

    @Test
    void the_previous_window_counts_by_the_share_that_lies_within_a_period() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        assertThat(counter.take(at(9), 10, 0))
                .isEqualTo(verdict(true, 10, 0, 0, 0, 11_000_000).withTicketMicros(at(9)));
        assertThat(remaining(counter, 9.999999)).isZero();
        assertThat(remaining(counter, 10)).isZero();
        assertThat(remaining(counter, 11)).isEqualTo(1);
        assertThat(remaining(counter, 15)).isEqualTo(5);
        // Half a permit counts as one.
        assertThat(remaining(counter, 15.5)).isEqualTo(5);
        assertThat(remaining(counter, 19.999999)).isEqualTo(9);
        assertThat(remaining(counter, 20)).isEqualTo(10);
        assertThat(counter.take(at(15), 5, 0))
                .isEqualTo(verdict(true, 10, 0, 0, 0, 15_000_000).withTicketMicros(at(15)));
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(10, 5, START + 10_000_000, 10_000_000));
    }

    @Test
    void retry_after_is_when_enough_of_the_previous_window_has_faded() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.take(at(5), 10, 0);
        assertThat(counter.take(at(10), 1, 0)).isEqualTo(verdict(false, 10, 0, 1_000_000, 1_000_000, 10_000_000));
        assertThat(counter.take(at(12), 5, 0)).isEqualTo(verdict(false, 10, 2, 3_000_000, 3_000_000, 8_000_000));
        assertThat(counter.take(at(12), 10, 0).retryAfterMicros()).isEqualTo(8_000_000);
        assertThat(counter.take(at(12), 11, 0))
                .isEqualTo(verdict(false, 10, 2, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 8_000_000));
    }

    @Test
    void retry_after_is_in_the_next_window_if_this_one_is_full() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.take(at(5), 10, 0);
        // Full until 10, then one leaves each second.
        assertThat(counter.take(at(6), 1, 0)).isEqualTo(verdict(false, 10, 0, 5_000_000, 5_000_000, 14_000_000));
        assertThat(counter.take(at(6), 10, 0).retryAfterMicros()).isEqualTo(14_000_000);
    }

    @Test
    void a_refund_removes_the_newest_permits_at_most_all() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.take(at(5), 6, 0);
        counter.take(at(15), 4, 0);
        counter.refund(at(15), 3);
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(6, 1, START + 10_000_000, 10_000_000));
        counter.refund(at(15), 3);
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(4, 0, START + 10_000_000, 10_000_000));
        assertThat(counter.refund(at(15), 100)).isEqualTo(verdict(true, 10, 10, 0, 0, 0));
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(0, 0, START + 10_000_000, 10_000_000));
    }

    @Test
    void a_charge_counts_above_the_limit() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        assertThat(counter.charge(at(0), 40))
                .isEqualTo(verdict(true, 10, 0, 0, 0, 20_000_000).withTicketMicros(at(0)));
        // A quarter of 40 is 10, so no permit is free until three quarters of the next window.
        assertThat(counter.take(at(1), 1, 0).retryAfterMicros()).isEqualTo(9_000_000 + 7_750_000);
        assertThat(counter.take(at(17.5), 1, 0).isGranted()).isFalse();
        assertThat(counter.take(at(17.75), 1, 0).isGranted()).isTrue();
    }

    @Test
    void counts_stop_where_doubles_are_no_longer_exact() {
        SlidingCounter.State much = new SlidingCounter.State(
                SlidingCounter.State.MOST_PERMITS, SlidingCounter.State.MOST_PERMITS, START, 10_000_000);
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN).state(much);
        counter.charge(at(1), Integer.MAX_VALUE);
        assertThat(counter.state()).isEqualTo(much);
        assertThat(counter.take(at(-10), 1, 0).isGranted()).isFalse();
        assertThat(counter.state())
                .isEqualTo(new SlidingCounter.State(0, SlidingCounter.State.MOST_PERMITS, START - 10_000_000, 1e7));
    }

    @Test
    void a_changed_limit_applies_immediately() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.take(at(0), 10, 0);
        counter.limit(SlidingCounter.of(12, Duration.ofSeconds(10)));
        assertThat(counter.take(at(1), 3, 0).isGranted()).isFalse();
        assertThat(counter.take(at(1), 2, 0).isGranted()).isTrue();
        counter.limit(SlidingCounter.of(5, Duration.ofSeconds(10)));
        assertThat(counter.take(at(2), 1, 0).remaining()).isZero();
    }

    @Test
    void a_clock_that_steps_back_frees_no_permits_and_rejects_for_two_periods_at_most() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.take(at(1_005), 7, 0);
        counter.take(at(1_018), 3, 0);
        long left = remaining(counter, 1_018);
        assertThat(left).isEqualTo(5);
        assertThat(remaining(counter, 1_012)).as("within the window").isLessThanOrEqualTo(left);
        assertThat(counter.take(at(1_009), 1, 0).isGranted()).isFalse();
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(0, 10, START + 1_000_000_000, 1e7));
        assertThat(counter.take(at(0), 1, 0).isGranted()).isFalse();
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(0, 10, START, 1e7));
        assertThat(remaining(counter, 20)).isEqualTo(10);
    }

    @Test
    void the_state_is_kept_a_second_longer_than_its_permits_count() {
        SlidingCounter.State pair = new SlidingCounter.State(1, 1, START, 1e7);
        assertThat(TEN_IN_TEN.lifetimeMillis(pair, at(0))).isEqualTo(21_000);
        assertThat(TEN_IN_TEN.lifetimeMillis(pair, at(0) + 1)).isEqualTo(21_000);
        assertThat(TEN_IN_TEN.lifetimeMillis(pair, at(19.999))).isEqualTo(1001);
        assertThat(TEN_IN_TEN.lifetimeMillis(pair, at(30))).isEqualTo(1000);
    }

    @Test
    void it_has_a_capacity_and_a_key_suffix() {
        assertThat(TEN_IN_TEN.capacity()).isEqualTo(10);
        assertThat(TEN_IN_TEN.keySuffix()).isEqualTo(":counter");
    }

    private static long at(double second) {
        return START + Math.round(second * 1e6);
    }

    private static long remaining(Timeline<SlidingCounter.State> counter, double second) {
        return counter.peek(at(second), 1, 0).remaining();
    }
}
