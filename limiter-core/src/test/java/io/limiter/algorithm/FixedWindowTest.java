package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static io.limiter.testing.Timeline.check;
import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static io.limiter.testing.TraceLine.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FixedWindowTest {

    private static final FixedWindow THREE_A_MINUTE = FixedWindow.of(3, Duration.ofMinutes(1));

    @Test
    void the_window_opens_with_its_first_request() {
        check(
                THREE_A_MINUTE,
                at(17, 1, 0, "G"),
                at(20, 2, 0, "G"),
                at(20, 1, 0, "R 57.0"),
                at(76.999999, 1, 0, "R 1.0E-6"),
                at(77, 1, 0, "G"),
                at(136.999999, 2, 0, "G"),
                at(137, 3, 0, "G"));
    }

    @Test
    void a_rejected_request_neither_takes_nor_lengthens_the_window() {
        check(
                THREE_A_MINUTE,
                at(0, 2, 0, "G"),
                at(30, 2, 0, "R 30.0"),
                at(59, 1, 0, "G"),
                at(59, 1, 0, "R 1.0"),
                at(60, 3, 0, "G"));
    }

    @Test
    void the_timeout_makes_no_difference() {
        check(THREE_A_MINUTE, at(0, 3, 3600, "G"), at(0, 1, 3600, "R 60.0"));
    }

    @Test
    void more_than_the_limit_is_never_granted() {
        check(
                THREE_A_MINUTE,
                at(0, 4, 0, "R never"),
                at(0, 1, 0, "G"),
                at(1, 3, 0, "R 59.0"),
                at(0, 4, 0, "R never"),
                at(0, Integer.MAX_VALUE, 0, "R never"));
    }

    @Test
    void the_largest_limit_is_counted_in_full() {
        check(
                FixedWindow.of(Integer.MAX_VALUE, Duration.ofMillis(1)),
                at(0, Integer.MAX_VALUE - 1, 0, "G"),
                at(0, 2, 0, "R 0.001"),
                at(0, 1, 0, "G"),
                at(0, 1, 0, "R 0.001"),
                at(0.001, Integer.MAX_VALUE, 0, "G"));
    }

    @Test
    void the_decision_has_the_remaining_permits_and_the_end_of_the_window() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        long now = EPOCH_MICROS;
        long end = now + 60_000_000;

        assertThat(window.take(now, 4, 0))
                .isEqualTo(verdict(false, 3, 3, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 0));
        assertThat(window.take(now, 1, 0))
                .isEqualTo(verdict(true, 3, 2, 0, 0, 60_000_000)
                        .withTicketMicros(now + 1)
                        .withPeriodEndMicros(end));
        assertThat(window.take(now + 1, 2, 0))
                .isEqualTo(verdict(true, 3, 0, 0, 0, 59_999_999)
                        .withTicketMicros(now + 1)
                        .withPeriodEndMicros(end));
        assertThat(window.take(now + 2, 1, 0))
                .isEqualTo(
                        verdict(false, 3, 0, 59_999_998, 59_999_998, 59_999_998).withPeriodEndMicros(end));
        assertThat(window.take(now + 2, 4, 0))
                .isEqualTo(verdict(false, 3, 0, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 59_999_998)
                        .withPeriodEndMicros(end));
        assertThat(window.peek(now + 60_000_000, 4, 0))
                .isEqualTo(verdict(false, 3, 3, Verdict.NEVER_MICROS, Verdict.NEVER_MICROS, 0));
        assertThat(THREE_A_MINUTE.capacity()).isEqualTo(3);
    }

    @Test
    void a_changed_limit_applies_immediately() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        check(window, at(0, 3, 0, "G"));

        window.limit(FixedWindow.of(5, Duration.ofMinutes(1)));
        check(window, at(10, 3, 0, "R 50.0"), at(10, 2, 0, "G"));

        window.limit(FixedWindow.of(2, Duration.ofMinutes(1)));
        check(window, at(20, 1, 0, "R 40.0"));
        assertThat(window.peek(EPOCH_MICROS + 20_000_000, 1, 0).remaining()).isZero();
        check(window, at(60, 2, 0, "G"));
    }

    @Test
    void a_visit_to_a_shorter_period_does_not_end_the_window() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        check(window, at(0, 3, 0, "G"));

        window.limit(FixedWindow.of(2, Duration.ofSeconds(10)));
        check(window, at(15, 2, 0, "G"), at(15, 1, 0, "R 10.0"), at(25, 1, 0, "G"), at(25, 2, 0, "R 10.0"));

        window.limit(THREE_A_MINUTE);
        check(window, at(30, 1, 0, "R 30.0"), at(60, 3, 0, "G"), at(60, 1, 0, "R 60.0"));
    }

    @Test
    void a_window_counts_what_another_one_has_if_that_opened_within_its_period() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        check(window, at(0, 3, 0, "G"));

        FixedWindow shorter = FixedWindow.of(4, Duration.ofSeconds(10));
        check(window.limit(shorter), at(9, 2, 0, "R 1.0"), at(9, 1, 0, "G"), at(10, 1, 0, "G"));
        FixedWindow longer = FixedWindow.of(6, Duration.ofHours(1));
        check(window.limit(longer), at(11, 2, 0, "R 49.0"), at(11, 1, 0, "G"), at(60, 1, 0, "R 3540.0"));
        assertThat(window.limit(THREE_A_MINUTE)
                        .peek(EPOCH_MICROS + 60_000_000, 1, 0)
                        .remaining())
                .isEqualTo(3);
    }

    @Test
    void permits_count_in_all_windows_and_that_of_the_last_limit_is_the_first() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        check(window, at(0, 1, 0, "G"));
        window.limit(FixedWindow.of(5, Duration.ofSeconds(10)));
        check(window, at(15, 1, 0, "G"));
        window.limit(FixedWindow.of(5, Duration.ofSeconds(20)));
        check(window, at(16, 1, 0, "G"));

        FixedWindow.State minute = new FixedWindow.State(6e7, 3, EPOCH_MICROS + 60_000_000);
        assertThat(window.state())
                .isEqualTo(new FixedWindow.State(
                        2e7,
                        3,
                        EPOCH_MICROS + 20_000_000,
                        new FixedWindow.State(1e7, 2, EPOCH_MICROS + 25_000_000, minute)));

        check(window, at(27, 1, 0, "G"));
        assertThat(window.state())
                .as("without those that have ended")
                .isEqualTo(new FixedWindow.State(
                        2e7, 1, EPOCH_MICROS + 47_000_000, new FixedWindow.State(6e7, 4, EPOCH_MICROS + 60_000_000)));
    }

    @Test
    void permits_are_returned_to_the_windows_that_counted_them() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        Verdict first = window.take(EPOCH_MICROS, 2, 0);
        FixedWindow shorter = FixedWindow.of(2, Duration.ofSeconds(10));
        check(window.limit(shorter), at(15, 1, 0, "G"));

        window.limit(THREE_A_MINUTE).cancel(EPOCH_MICROS + 16_000_000, 2, first);
        check(window.limit(shorter), at(16, 2, 0, "R 9.0"));
        check(window.limit(THREE_A_MINUTE), at(16, 3, 0, "R 44.0"));
        Verdict second = window.take(EPOCH_MICROS + 16_000_000, 2, 0);
        assertThat(window.cancel(EPOCH_MICROS + 17_000_000, 1, second))
                .isEqualTo(verdict(true, 3, 1, 0, 0, 43_000_000).withPeriodEndMicros(EPOCH_MICROS + 60_000_000));
        check(window.limit(shorter), at(17, 1, 0, "R 8.0"));
        assertThat(window.refund(EPOCH_MICROS + 17_000_000, 1).remaining()).isEqualTo(1);
        assertThat(window.limit(THREE_A_MINUTE)
                        .peek(EPOCH_MICROS + 17_000_000, 1, 0)
                        .remaining())
                .isEqualTo(2);
    }

    @Test
    void a_clock_that_steps_back_delays_no_caller_for_longer_than_the_period() {
        Timeline<FixedWindow.State> window = new Timeline<>(THREE_A_MINUTE);
        check(window, at(10_000, 3, 0, "G"), at(9_990, 1, 0, "R 60.0"), at(0, 1, 0, "R 60.0"));
        check(window, at(59, 1, 0, "R 1.0"), at(60, 3, 0, "G"));
    }

    @Test
    void no_window_holds_more_than_the_limit() {
        Random random = Seed.random();
        for (int i = 0; i < 2000; i++) {
            FixedWindow limit = FixedWindow.of(1 + random.nextInt(10), Duration.ofMillis(1 + random.nextInt(100)));
            Timeline<FixedWindow.State> window = new Timeline<>(limit);
            long now = EPOCH_MICROS;
            long end = 0;
            long taken = 0;
            for (int j = 0; j < 100; j++) {
                now += random.nextInt(20_000);
                long permits = 1 + random.nextInt(3);
                taken = now >= end ? 0 : taken;
                boolean granted = window.take(now, permits, 0).isGranted();

                assertThat(granted).as(Seed.hint() + limit).isEqualTo(taken + permits <= limit.limit());
                end = granted && taken == 0 ? now + limit.periodMicros() : end;
                taken += granted ? permits : 0;
            }
        }
    }

    /** Definitions that differ in their limit and in when they warn, as plans do, and the permits that are counted in the period. */
    @Test
    void of_all_that_is_counted_in_a_window_each_number_warns_once() {
        Random random = Seed.random();
        long now = EPOCH_MICROS;
        long end = 0;
        long used = 0;
        long warnedAt = 0;
        int warnings = 0;
        FixedWindow.State state = null;
        Verdict last = null;
        long lastPermits = 0;
        for (int i = 0; i < 100_000; i++) {
            now += random.nextInt(100) == 0 ? random.nextInt(90_000_000) : random.nextInt(1_000_000);
            long permits = 1 + random.nextInt(random.nextInt(10) == 0 ? 40 : 4);
            FixedWindow limit = FixedWindow.of(40 + random.nextInt(3) * 10L, Duration.ofMinutes(1));
            long warnAt = random.nextInt(4) * (limit.limit() / 4);
            FixedWindow step = warnAt == 0 ? limit : limit.withWarnAt(warnAt);
            boolean cancels = last != null && random.nextInt(8) == 0;
            // As of a set that another part rejects, mostly.
            boolean forgets = cancels && last.usedAtWarning() > 0 && random.nextInt(4) > 0;
            Request request = cancels
                    ? Request.cancel(lastPermits, last)
                    : switch (random.nextInt(8)) {
                        case 0 -> Request.refund(permits);
                        case 1 -> Request.charge(permits);
                        case 2 -> Request.peek(permits, 0);
                        default -> Request.take(permits, 0);
                    };
            Step<FixedWindow.State> made = (forgets
                            ? FixedWindow.of(60, limit.period())
                                    .withWarnAt(warnedAt)
                                    .withWarningForgotten(last)
                            : step)
                    .step(state, now, request);
            state = made.state();
            if (now >= end) {
                used = 0;
                warnedAt = 0;
            }
            long before = warnedAt;
            switch (request.action()) {
                case REFUND -> {
                    boolean counted = !cancels || now < end && last.periodEndMicros() == end;
                    warnedAt -= forgets && counted && used > 0 ? 1 : 0;
                    used -= counted ? Math.min(used, request.permits()) : 0;
                }
                case PEEK -> {}
                default -> {
                    if (request.action() == Request.Action.CHARGE || used + permits <= limit.limit()) {
                        end = now >= end ? now + 60_000_000 : end;
                        used += permits;
                        warnedAt = warnAt > 0 && used >= warnAt ? Math.max(warnedAt, warnAt) : warnedAt;
                    }
                }
            }
            long expected = warnedAt > before ? used : 0;
            assertThat(made.verdict().usedAtWarning())
                    .as("%s%s, %s", Seed.hint(), step, request)
                    .isEqualTo(expected);
            warnings += expected > 0 ? 1 : 0;
            last = request.takes() && made.verdict().isGranted() ? made.verdict() : null;
            lastPermits = permits;
        }
        assertThat(warnings).isGreaterThan(1_000);
    }

    @Test
    void the_state_lives_a_second_longer_than_the_window() {
        FixedWindow.State window = new FixedWindow.State(60_000_000, 1, 1_000_000);

        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 0)).isEqualTo(2000);
        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 1)).isEqualTo(2000);
        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 1000)).isEqualTo(1999);
        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 998_000)).isEqualTo(1002);
        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 999_999)).isEqualTo(1001);
        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 1_000_000)).isEqualTo(1000);
        assertThat(THREE_A_MINUTE.lifetimeMillis(window, 5_000_000)).isEqualTo(1000);
    }
}
