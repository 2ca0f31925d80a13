package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static io.limiter.testing.Timeline.check;
import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static io.limiter.testing.TraceLine.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlidingLogTest {

    private static final SlidingLog THREE_IN_TEN = SlidingLog.of(3, Duration.ofSeconds(10));

    @Test
    void a_permit_is_free_again_one_period_after_its_grant() {
        check(
                THREE_IN_TEN,
                at(0, 1, 0, "G"),
                at(4, 2, 0, "G"),
                at(4, 1, 0, "R 6.0"),
                at(9.999999, 1, 0, "R 1.0E-6"),
                at(10, 1, 0, "G"),
                at(10, 1, 0, "R 4.0"),
                at(13.999999, 2, 0, "R 1.0E-6"),
                at(14, 2, 0, "G"));
    }

    @Test
    void a_request_for_several_waits_until_enough_have_left() {
        check(
                THREE_IN_TEN,
                at(0, 1, 0, "G"),
                at(1, 1, 0, "G"),
                at(2, 1, 0, "G"),
                at(3, 1, 0, "R 7.0"),
                at(3, 2, 0, "R 8.0"),
                at(3, 3, 0, "R 9.0"),
                at(3, 4, 0, "R never"),
                at(3, Integer.MAX_VALUE, 3600, "R never"));
    }

    @Test
    void no_boundary_grants_twice_the_limit() {
        check(
                THREE_IN_TEN,
                at(9.9, 3, 0, "G"),
                at(10, 1, 0, "R 9.9"),
                at(19.899999, 1, 0, "R 1.0E-6"),
                at(19.9, 3, 0, "G"));
    }

    @Test
    void the_decision_has_remaining_permits_and_times() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        long now = EPOCH_MICROS;
        assertThat(log.peek(now, 1, 0)).isEqualTo(verdict(true, 3, 3, 0, 0, 0));
        assertThat(log.take(now, 1, 0))
                .isEqualTo(verdict(true, 3, 2, 0, 0, 10_000_000).withTicketMicros(now));
        assertThat(log.take(now + 1, 1, 0))
                .isEqualTo(verdict(true, 3, 1, 0, 0, 10_000_000).withTicketMicros(now + 1));
        assertThat(log.peek(now + 2, 1, 0)).isEqualTo(verdict(true, 3, 1, 0, 0, 9_999_999));
        assertThat(log.take(now + 2, 2, 0)).isEqualTo(verdict(false, 3, 1, 9_999_998, 9_999_998, 9_999_999));
        assertThat(log.take(now + 2, 4, 0))
                .isEqualTo(verdict(false, 3, 1, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 9_999_999));
        assertThat(log.peek(now + 10_000_000, 1, 0)).isEqualTo(verdict(true, 3, 2, 0, 0, 1));
        assertThat(log.peek(now + 10_000_001, 1, 0)).isEqualTo(verdict(true, 3, 3, 0, 0, 0));
    }

    @Test
    void grants_of_one_microsecond_share_an_entry_and_expired_entries_are_removed() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(0, 1, 0, "G"), at(0, 1, 0, "G"), at(1, 1, 0, "G"));
        assertThat(log.state()).isEqualTo(log(0, 2, 1, 3));
        check(log, at(10, 2, 0, "G"));
        assertThat(log.state()).isEqualTo(log(1, 1, 10, 3));
        check(log, at(30, 1, 0, "G"));
        assertThat(log.state()).isEqualTo(log(30, 1));
    }

    @Test
    void a_refund_removes_the_newest_permits_at_most_all() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(0, 1, 0, "G"), at(2, 2, 0, "G"));
        assertThat(log.refund(micros(3), 1)).isEqualTo(verdict(true, 3, 1, 0, 0, 9_000_000));
        assertThat(log.state()).isEqualTo(log(0, 1, 2, 2));
        assertThat(log.refund(micros(3), 1)).isEqualTo(verdict(true, 3, 2, 0, 0, 7_000_000));
        assertThat(log.refund(micros(3), 5)).isEqualTo(verdict(true, 3, 3, 0, 0, 0));
        assertThat(log.state()).isEqualTo(log());
        assertThat(log.refund(micros(3), 5).remaining()).isEqualTo(3);
        check(log, at(3, 3, 0, "G"), at(3, 1, 0, "R 10.0"));
    }

    @Test
    void a_charge_counts_above_the_limit() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(0, 2, 0, "G"));
        assertThat(log.charge(micros(1), 4))
                .isEqualTo(verdict(true, 3, 0, 0, 0, 10_000_000).withTicketMicros(EPOCH_MICROS + 1_000_000));
        check(log, at(2, 1, 0, "R 9.0"), at(10, 1, 0, "R 1.0"), at(11, 3, 0, "G"));
    }

    @Test
    void unlimited_charges_take_limited_memory_and_decide_the_same() {
        Random random = Seed.random();
        for (int limit = 1; limit <= 5; limit++) {
            SlidingLog kind = SlidingLog.of(limit, Duration.ofMillis(1));
            Timeline<SlidingLog.State> log = new Timeline<>(kind);
            List<Long> granted = new ArrayList<>();
            long now = EPOCH_MICROS;
            for (int i = 0; i < 3000; i++) {
                now += random.nextInt(i % 500 < 400 ? 30 : 600);
                long gone = now - kind.periodMicros();
                granted.removeIf(time -> time <= gone);
                if (random.nextInt(4) > 0) {
                    log.charge(now, 1);
                    granted.add(now);
                } else {
                    int permits = 1 + random.nextInt(limit);
                    boolean fits = granted.size() + permits <= limit;
                    Verdict decision = log.take(now, permits, 0);
                    assertThat(decision.isGranted()).as(Seed.hint()).isEqualTo(fits);
                    assertThat(decision.retryAfterMicros())
                            .isEqualTo(fits ? 0 : granted.get(granted.size() + permits - limit - 1) - gone);
                    for (int j = 0; fits && j < permits; j++) {
                        granted.add(now);
                    }
                }
                assertThat(log.state() == null ? 0 : log.state().size()).isLessThanOrEqualTo(2 * limit + 2);
            }
        }
    }

    @Test
    void counts_stop_at_the_maximum() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        for (int i = 0; i < 5; i++) {
            log.charge(micros(i), Integer.MAX_VALUE);
        }
        assertThat(log.peek(EPOCH_MICROS + 9_999_999, 1, 0).isGranted()).isFalse();
        assertThat(log.refund(micros(5), Integer.MAX_VALUE).remaining()).isEqualTo(3);
    }

    @Test
    void a_changed_limit_applies_immediately_to_earlier_grants() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(0, 1, 0, "G"), at(1, 1, 0, "G"), at(2, 1, 0, "G"));
        log.limit(SlidingLog.of(5, Duration.ofSeconds(10)));
        check(log, at(3, 3, 0, "R 7.0"), at(3, 2, 0, "G"));
        log.limit(SlidingLog.of(1, Duration.ofSeconds(10)));
        check(log, at(4, 1, 0, "R 9.0"));
        assertThat(log.peek(EPOCH_MICROS + 4_000_000, 1, 0).remaining()).isZero();
    }

    @Test
    void a_changed_period_applies_immediately_and_does_not_restore_expired_grants() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(0, 1, 0, "G"), at(4, 2, 0, "G"));
        log.limit(SlidingLog.of(3, Duration.ofSeconds(2)));
        check(log, at(5, 1, 0, "G"), at(5, 1, 0, "R 1.0"));
        log.limit(THREE_IN_TEN);
        check(log, at(5, 1, 0, "R 9.0"), at(14, 3, 0, "R 1.0"), at(15, 3, 0, "G"));
    }

    @Test
    void a_clock_that_steps_back_frees_no_permits_and_rejects_for_a_period_at_most() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(10_000, 1, 0, "G"), at(10_005, 1, 0, "G"), at(10_007, 1, 0, "G"));
        // The first counts as before, the others as granted now.
        check(log, at(10_002, 1, 0, "R 8.0"), at(10_002, 2, 0, "R 10.0"));
        assertThat(log.state()).isEqualTo(log(10_000, 1, 10_002, 3));
        check(log, at(0, 1, 0, "R 10.0"));
        assertThat(log.state()).isEqualTo(log(0, 3));
        check(log, at(9.999999, 1, 0, "R 1.0E-6"), at(10, 3, 0, "G"));
    }

    @Test
    void a_peek_at_a_clock_that_stepped_back_changes_nothing() {
        Timeline<SlidingLog.State> log = new Timeline<>(THREE_IN_TEN);
        check(log, at(100, 3, 0, "G"));
        SlidingLog.State before = log.state();
        assertThat(log.peek(EPOCH_MICROS, 1, 0).retryAfterMicros()).isEqualTo(10_000_000);
        assertThat(log.state()).isSameAs(before);
    }

    @Test
    void no_interval_exceeds_the_limit_and_no_request_that_fits_is_rejected() {
        Random random = Seed.random();
        for (int i = 0; i < 1000; i++) {
            SlidingLog limit = SlidingLog.of(1 + random.nextInt(10), Duration.ofMillis(1 + random.nextInt(100)));
            Timeline<SlidingLog.State> log = new Timeline<>(limit);
            List<Long> granted = new ArrayList<>();
            long now = EPOCH_MICROS;
            for (int j = 0; j < 150; j++) {
                now += random.nextInt(4) == 0 ? 0 : random.nextInt(20_000);
                long gone = now - limit.periodMicros();
                granted.removeIf(time -> time <= gone);
                long permits = 1 + random.nextInt(4);
                boolean fits = granted.size() + permits <= limit.limit();
                assertThat(log.take(now, permits, 0).isGranted())
                        .as(Seed.hint() + limit)
                        .isEqualTo(fits);
                for (int p = 0; fits && p < permits; p++) {
                    granted.add(now);
                }
            }
        }
    }

    @Test
    void the_state_lives_a_second_longer_than_its_newest_permit() {
        SlidingLog.State log = log(0, 1, 4, 3);
        assertThat(THREE_IN_TEN.lifetimeMillis(log, EPOCH_MICROS + 4_000_000)).isEqualTo(11_000);
        assertThat(THREE_IN_TEN.lifetimeMillis(log, EPOCH_MICROS + 4_000_001)).isEqualTo(11_000);
        assertThat(THREE_IN_TEN.lifetimeMillis(log, EPOCH_MICROS + 4_001_000)).isEqualTo(10_999);
        assertThat(THREE_IN_TEN.lifetimeMillis(log, EPOCH_MICROS + 20_000_000)).isEqualTo(1000);
        assertThat(THREE_IN_TEN.lifetimeMillis(SlidingLog.State.EMPTY, EPOCH_MICROS))
                .isEqualTo(1000);
    }

    @Test
    void it_has_a_capacity_and_a_key_suffix() {
        assertThat(THREE_IN_TEN.capacity()).isEqualTo(3);
        assertThat(THREE_IN_TEN.keySuffix()).isEqualTo(":log");
    }

    @Test
    void the_error_for_a_limit_that_is_too_large_names_the_counter() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingLog.of(100_001, Duration.ofSeconds(1)))
                .withMessageEndingWith("was 100001: use a SlidingCounter, which needs no memory for each grant");
    }

    @Test
    void a_state_is_a_value() {
        double[] times = {1, 2};
        SlidingLog.State log = new SlidingLog.State(times, new double[] {1, 5}, LogUses.NONE);
        times[0] = 0;
        log.totals()[0] = 7;
        assertThat(log)
                .isEqualTo(new SlidingLog.State(new double[] {1, 2}, new double[] {1, 5}, LogUses.NONE))
                .hasSameHashCodeAs(new SlidingLog.State(new double[] {1, 2}, new double[] {1, 5}, LogUses.NONE))
                .isNotEqualTo(new SlidingLog.State(new double[] {1, 3}, new double[] {1, 5}, LogUses.NONE))
                .isNotEqualTo(new SlidingLog.State(new double[] {1, 2}, new double[] {1, 4}, LogUses.NONE))
                .hasToString("State[timesMicros=[1.0, 2.0], totals=[1.0, 5.0], uses=" + LogUses.NONE + "]");
    }

    private static long micros(double second) {
        return EPOCH_MICROS + Math.round(second * 1e6);
    }

    /** Seconds and totals in turn. */
    private static SlidingLog.State log(double... secondsAndTotals) {
        double[] times = new double[secondsAndTotals.length / 2];
        double[] totals = new double[times.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = EPOCH_MICROS + secondsAndTotals[2 * i] * 1e6;
            totals[i] = secondsAndTotals[2 * i + 1];
        }
        return new SlidingLog.State(times, totals, LogUses.of(THREE_IN_TEN));
    }
}
