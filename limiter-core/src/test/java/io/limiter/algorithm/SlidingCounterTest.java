package io.limiter.algorithm;

import static io.limiter.testing.Tickets.withTicket;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlidingCounterTest {

    /** The start of a window of 10 s, and of one of 1 h. */
    private static final long START = 1_763_650_800_000_000L;

    private static final SlidingCounter TEN_IN_TEN = SlidingCounter.of(10, Duration.ofSeconds(10));

    @Test
    void the_previous_window_counts_by_the_share_that_lies_within_a_period() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        assertThat(counter.ask(at(9), 10, 0)).isEqualTo(withTicket(new Decision(true, 10, 0, 0, 0, 11_000_000), at(9)));
        assertThat(remaining(counter, 9.999999)).isZero();
        assertThat(remaining(counter, 10)).isZero();
        assertThat(remaining(counter, 11)).isEqualTo(1);
        assertThat(remaining(counter, 15)).isEqualTo(5);
        // Half a permit counts as one.
        assertThat(remaining(counter, 15.5)).isEqualTo(5);
        assertThat(remaining(counter, 19.999999)).isEqualTo(9);
        assertThat(remaining(counter, 20)).isEqualTo(10);
        assertThat(counter.ask(at(15), 5, 0))
                .isEqualTo(withTicket(new Decision(true, 10, 0, 0, 0, 15_000_000), at(15)));
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(10, 5, START + 10_000_000, 10_000_000));
    }

    @Test
    void retry_after_is_when_enough_of_the_previous_window_has_faded() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.ask(at(5), 10, 0);
        assertThat(counter.ask(at(10), 1, 0)).isEqualTo(new Decision(false, 10, 0, 1_000_000, 1_000_000, 10_000_000));
        assertThat(counter.ask(at(12), 5, 0)).isEqualTo(new Decision(false, 10, 2, 3_000_000, 3_000_000, 8_000_000));
        assertThat(counter.ask(at(12), 10, 0).retryAfterMicros()).isEqualTo(8_000_000);
        assertThat(counter.ask(at(12), 11, 0))
                .isEqualTo(new Decision(false, 10, 2, Decision.NEVER_MICROS, Decision.NEVER_MICROS, 8_000_000));
    }

    @Test
    void retry_after_is_in_the_next_window_if_this_one_is_full() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.ask(at(5), 10, 0);
        // Full until 10, then one leaves each second.
        assertThat(counter.ask(at(6), 1, 0)).isEqualTo(new Decision(false, 10, 0, 5_000_000, 5_000_000, 14_000_000));
        assertThat(counter.ask(at(6), 10, 0).retryAfterMicros()).isEqualTo(14_000_000);
    }

    @Test
    void a_rejected_caller_is_granted_at_retry_after_and_not_a_microsecond_before() {
        Random random = Seed.random();
        for (int i = 0; i < 300; i++) {
            int most = random.nextBoolean() ? 1 + random.nextInt(20) : 1 + random.nextInt(Integer.MAX_VALUE - 1);
            long micros = 1000 + (long) (random.nextDouble() * (random.nextBoolean() ? 1e5 : 1e12));
            Timeline<SlidingCounter.State> counter =
                    new Timeline<>(SlidingCounter.of(most, Duration.ofNanos(micros * 1000)));
            long now = START;
            for (int j = 0; j < 100; j++) {
                now += (long) (random.nextDouble() * micros * 0.7);
                int permits = random.nextInt(5) == 0 ? most : 1 + random.nextInt(most);
                Decision decision = counter.ask(now, permits, 0);
                if (!decision.granted()) {
                    long then = now + decision.retryAfterMicros();
                    assertThat(counter.peek(then, permits, 0).granted())
                            .as(Seed.hint())
                            .isTrue();
                    assertThat(counter.peek(then - 1, permits, 0).granted())
                            .as(Seed.hint())
                            .isFalse();
                }
            }
        }
    }

    @Test
    void at_full_after_it_is_as_if_never_used() {
        Random random = Seed.random();
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        long now = START;
        for (int i = 0; i < 2000; i++) {
            now += random.nextInt(9_000_000);
            long reset = counter.ask(now, 1 + random.nextInt(4), 0).fullAfterMicros();
            assertThat(counter.peek(now + reset, 10, 0)).isEqualTo(new Decision(true, 10, 10, 0, 0, 0));
            assertThat(counter.peek(now + reset - 1, 10, 0).fullAfterMicros()).isEqualTo(1);
        }
    }

    @Test
    void a_rejection_and_a_peek_return_the_same_state() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.ask(at(0), 11, 0);
        assertThat(counter.state()).isNull();
        counter.ask(at(0), 10, 0);
        SlidingCounter.State full = counter.state();
        counter.ask(at(1), 1, 0);
        counter.ask(at(11), 9, 0);
        counter.peek(at(25), 1, 0);
        assertThat(counter.state()).isSameAs(full);
    }

    @Test
    void a_refund_removes_the_newest_permits_at_most_all() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.ask(at(5), 6, 0);
        counter.ask(at(15), 4, 0);
        act(counter, 15, Request.refund(3));
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(6, 1, START + 10_000_000, 10_000_000));
        act(counter, 15, Request.refund(3));
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(4, 0, START + 10_000_000, 10_000_000));
        assertThat(act(counter, 15, Request.refund(100))).isEqualTo(new Decision(true, 10, 10, 0, 0, 0));
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(0, 0, START + 10_000_000, 10_000_000));
    }

    @Test
    void a_charge_counts_above_the_limit() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        assertThat(act(counter, 0, Request.charge(40)))
                .isEqualTo(withTicket(new Decision(true, 10, 0, 0, 0, 20_000_000), at(0)));
        // A quarter of 40 is 10, so no permit is free until three quarters of the next window.
        assertThat(counter.ask(at(1), 1, 0).retryAfterMicros()).isEqualTo(9_000_000 + 7_750_000);
        assertThat(counter.ask(at(17.5), 1, 0).granted()).isFalse();
        assertThat(counter.ask(at(17.75), 1, 0).granted()).isTrue();
    }

    @Test
    void counts_stop_where_doubles_are_no_longer_exact() {
        SlidingCounter.State much = new SlidingCounter.State(
                SlidingCounter.State.MOST_PERMITS, SlidingCounter.State.MOST_PERMITS, START, 10_000_000);
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN).state(much);
        act(counter, 1, Request.charge(Integer.MAX_VALUE));
        assertThat(counter.state()).isEqualTo(much);
        assertThat(counter.ask(at(-10), 1, 0).granted()).isFalse();
        assertThat(counter.state())
                .isEqualTo(new SlidingCounter.State(0, SlidingCounter.State.MOST_PERMITS, START - 10_000_000, 1e7));
    }

    @Test
    void a_changed_limit_applies_at_once() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.ask(at(0), 10, 0);
        counter.limit(SlidingCounter.of(12, Duration.ofSeconds(10)));
        assertThat(counter.ask(at(1), 3, 0).granted()).isFalse();
        assertThat(counter.ask(at(1), 2, 0).granted()).isTrue();
        counter.limit(SlidingCounter.of(5, Duration.ofSeconds(10)));
        assertThat(counter.ask(at(2), 1, 0).remaining()).isZero();
    }

    @Test
    void a_clock_that_steps_back_frees_no_permits_and_rejects_for_two_periods_at_most() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TEN_IN_TEN);
        counter.ask(at(1_005), 7, 0);
        counter.ask(at(1_018), 3, 0);
        long left = remaining(counter, 1_018);
        assertThat(left).isEqualTo(5);
        assertThat(remaining(counter, 1_012)).as("within the window").isLessThanOrEqualTo(left);
        assertThat(counter.ask(at(1_009), 1, 0).granted()).isFalse();
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(0, 10, START + 1_000_000_000, 1e7));
        assertThat(counter.ask(at(0), 1, 0).granted()).isFalse();
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
    void it_has_its_capacity_key_suffix_and_state_type() {
        assertThat(TEN_IN_TEN.capacity()).isEqualTo(10);
        assertThat(TEN_IN_TEN.keySuffix()).isEqualTo(":counter");
    }

    private static long at(double second) {
        return START + Math.round(second * 1e6);
    }

    private static long remaining(Timeline<SlidingCounter.State> counter, double second) {
        return counter.peek(at(second), 1, 0).remaining();
    }

    private static Decision act(Timeline<SlidingCounter.State> counter, double second, Request request) {
        Step<SlidingCounter.State> step = TEN_IN_TEN.step(counter.state(), at(second), request);
        counter.state(step.state());
        return step.decision();
    }
}
