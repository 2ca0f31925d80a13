package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limiters of several periods that share the permits of one sliding counter. */
class SlidingCounterPeriodsTest {

    /** The start of a window of each period here. */
    private static final long START = 1_763_650_800_000_000L;

    private static final SlidingCounter MINUTE = SlidingCounter.of(10, Duration.ofSeconds(60));
    private static final SlidingCounter TWO_MINUTES = SlidingCounter.of(10, Duration.ofSeconds(120));

    @Test
    void limiters_of_two_periods_that_take_turns_grant_as_much_as_the_looser_one_does() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(MINUTE);
        int granted = 0;
        for (int second = 0; second < 3600; second++) {
            counter.limit(second % 2 == 0 ? MINUTE : TWO_MINUTES);
            granted += counter.take(at(second), 1, 0).isGranted() ? 1 : 0;
        }
        Timeline<SlidingCounter.State> alone = new Timeline<>(MINUTE);
        int grantedAlone = 0;
        for (int second = 0; second < 3600; second += 2) {
            grantedAlone += alone.take(at(second), 1, 0).isGranted() ? 1 : 0;
        }
        assertThat(granted).isBetween(grantedAlone, 600);
    }

    @Test
    void a_rollout_to_another_period_rejects_nothing_of_a_load_that_both_allow() {
        SlidingCounter before = SlidingCounter.of(1000, Duration.ofSeconds(60));
        SlidingCounter after = SlidingCounter.of(2000, Duration.ofSeconds(120));
        Timeline<SlidingCounter.State> counter = new Timeline<>(before);
        Random random = Seed.random();
        for (int tenth = 0; tenth < 20 * 600; tenth++) {
            // Ten a second. The rollout starts in the fifth minute and ends in the fifteenth.
            counter.limit(random.nextInt(6000) < tenth - 3000 ? after : before);
            assertThat(counter.take(at(tenth / 10.0), 1, 0).isGranted())
                    .as("at %s s; %s", tenth / 10.0, Seed.hint())
                    .isTrue();
        }
    }

    @Test
    void two_periods_decide_as_if_each_had_a_counter_of_its_own_in_which_all_permits_count() {
        Random random = Seed.random();
        for (int i = 0; i < 200; i++) {
            List<SlidingCounter> limits = List.of(randomLimit(random), randomLimit(random));
            Timeline<SlidingCounter.State> shared = new Timeline<>(limits.get(0));
            List<SlidingCounter.@Nullable State> alone = new ArrayList<>(Collections.nCopies(2, null));
            long now = START;
            for (int j = 0; j < 400; j++) {
                int turn = j < 2 ? j : random.nextInt(2);
                SlidingCounter limit = limits.get(turn);
                long permits = 1 + random.nextInt(3);
                Verdict decision = shared.limit(limit).take(now, permits, 0);
                assertThat(decision)
                        .as("call %d of %s; %s", j, limits, Seed.hint())
                        .isEqualTo(limit.step(alone.get(turn), now, Request.take(permits, 0))
                                .verdict());
                for (int k = 0; k < 2 && decision.isGranted(); k++) {
                    alone.set(
                            k,
                            limits.get(k)
                                    .step(alone.get(k), now, Request.charge(permits))
                                    .state());
                }
                // Both start at the same time, so that both count all permits.
                now += j == 0
                        ? 0
                        : (long) (random.nextDouble()
                                * limits.get(random.nextInt(2)).periodMicros()
                                / 8);
            }
        }
    }

    @Test
    void more_periods_decide_by_their_own_windows_or_longer_ones_and_permits_leave() {
        Random random = Seed.random();
        for (int i = 0; i < 100; i++) {
            List<SlidingCounter> limits = new ArrayList<>();
            for (int j = 3 + random.nextInt(3); j > 0; j--) {
                limits.add(SlidingCounter.of(10 + random.nextInt(20), Duration.ofSeconds(20 + random.nextInt(100))));
            }
            List<Windows> exact =
                    limits.stream().map(limit -> new Windows(limit.period())).toList();
            Timeline<SlidingCounter.State> counter = new Timeline<>(limits.get(0));
            int granted = 0;
            int grantedBefore = 0;
            for (int second = 0; second < 3600; second++) {
                SlidingCounter limit = limits.get(second < limits.size() ? second : random.nextInt(limits.size()));
                long now = at(second);
                if (counter.limit(limit).take(now, 1, 0).isGranted()) {
                    assertThat(exact)
                            .as("%s of %s; %s", limit, limits, Seed.hint())
                            .anyMatch(windows -> windows.allow(limit, now));
                    exact.forEach(windows -> windows.take(now));
                    granted++;
                    grantedBefore += second < 1800 ? 1 : 0;
                }
            }
            assertThat(granted - grantedBefore)
                    .as("granted in the second half hour by %s; %s", limits, Seed.hint())
                    .isGreaterThan(grantedBefore / 2);
        }
    }

    @Test
    void a_new_period_counts_each_permit_at_the_latest_time_of_its_grant() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(MINUTE);
        counter.take(at(30), 6, 0);
        counter.take(at(70), 2, 0);
        // In windows of two minutes, all are in the first one.
        assertThat(counter.limit(TWO_MINUTES).peek(at(80), 3, 0).isGranted()).isFalse();
        assertThat(counter.state().other()).as("a peek changes nothing").isNull();
        assertThat(counter.take(at(80), 3, 0).isGranted()).isFalse();
        SlidingCounter.State minutes = new SlidingCounter.State(6, 2, START + 60_000_000, 6e7);
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(0, 8, START, 1.2e8, others(minutes, 80)));

        // In windows of ten seconds, six were granted before the minute began at the latest, two perhaps now.
        counter = new Timeline<>(SlidingCounter.of(10, Duration.ofSeconds(10))).state(minutes);
        assertThat(counter.take(at(85), 9, 0).isGranted()).isFalse();
        assertThat(counter.state())
                .isEqualTo(new SlidingCounter.State(0, 2, START + 80_000_000, 1e7, others(minutes, 85)));

        // If the previous window is the same, they are in that one.
        counter = new Timeline<>(SlidingCounter.of(10, Duration.ofSeconds(45))).state(minutes);
        assertThat(counter.take(at(91), 9, 0).isGranted()).isFalse();
        assertThat(counter.state())
                .isEqualTo(new SlidingCounter.State(6, 2, START + 90_000_000, 4.5e7, others(minutes, 91)));
    }

    @Test
    void unused_windows_of_a_period_are_dropped() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TWO_MINUTES);
        counter.take(at(0), 1, 0);
        counter.limit(MINUTE).take(at(1), 1, 0);
        for (int second = 61; second < 241; second += 60) {
            counter.take(at(second), 1, 0);
            assertThat(counter.state().other()).isNotNull();
        }
        counter.take(at(241), 1, 0);
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(1, 1, START + 240_000_000, 6e7));
    }

    @Test
    void a_third_period_decides_by_the_next_longer_windows_and_the_longest_has_its_own() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(MINUTE);
        counter.take(at(1), 1, 0);
        counter.limit(SlidingCounter.of(10, Duration.ofSeconds(90))).take(at(2), 1, 0);
        SlidingCounter.State both = counter.state();
        assertThat(counter.limit(SlidingCounter.of(10, Duration.ofSeconds(80))).peek(at(3), 9, 0))
                .isEqualTo(new Timeline<>(SlidingCounter.of(10, Duration.ofSeconds(90)))
                        .state(both)
                        .peek(at(3), 9, 0));
        assertThat(counter.limit(SlidingCounter.of(10, Duration.ofSeconds(30))).peek(at(3), 9, 0))
                .isEqualTo(new Timeline<>(MINUTE).state(both).peek(at(3), 9, 0));
        counter.limit(TWO_MINUTES).take(at(4), 1, 0);
        assertThat(counter.state())
                .isEqualTo(new SlidingCounter.State(
                        0, 3, START, 1.2e8, others(new SlidingCounter.State(0, 3, START, 6e7), 2)));
    }

    @Test
    void the_state_is_kept_while_permits_of_either_period_count() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(TWO_MINUTES);
        counter.take(at(0), 1, 0);
        counter.limit(MINUTE).take(at(1), 1, 0);
        assertThat(MINUTE.lifetimeMillis(counter.state(), at(1))).isEqualTo(239_000 + 1000);
    }

    private static SlidingCounter.State.OtherWindows others(SlidingCounter.State pair, double usedSecond) {
        return new SlidingCounter.State.OtherWindows(pair, at(usedSecond));
    }

    private static SlidingCounter randomLimit(Random random) {
        return SlidingCounter.of(
                6 + random.nextInt(40), Duration.ofNanos(1000L * (1000 + random.nextInt(100_000_000))));
    }

    private static long at(double second) {
        return START + Math.round(second * 1e6);
    }

    /** All permits, in windows of one period. */
    private static final class Windows {

        private final Duration period;
        private SlidingCounter.@Nullable State state;

        Windows(Duration period) {
            this.period = period;
        }

        boolean allow(SlidingCounter limit, long now) {
            return period.compareTo(limit.period()) >= 0
                    && SlidingCounter.of(limit.limit(), period)
                            .step(state, now, Request.peek(1, 0))
                            .verdict()
                            .isGranted();
        }

        void take(long now) {
            state = SlidingCounter.of(1, period)
                    .step(state, now, Request.charge(1))
                    .state();
        }
    }
}
