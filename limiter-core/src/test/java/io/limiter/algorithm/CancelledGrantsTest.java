package io.limiter.algorithm;

import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cancelled grants of windows, logs and counters, as long as they count. */
class CancelledGrantsTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final long PERIOD = 10_000_000;

    private final Random random = Seed.random();
    private long now = EPOCH_MICROS;

    @Test
    void a_window_cancels_its_own_permits_only() {
        FixedWindow limit = FixedWindow.of(5, TEN_SECONDS);
        Step<FixedWindow.State> first = take(limit, null, 4);
        assertThat(first.decision().ticketMicros()).isEqualTo(now + PERIOD);
        Step<FixedWindow.State> some = limit.step(first.state(), now + 1, Request.cancel(3, first.decision()));
        assertThat(some.decision().remaining()).isEqualTo(4);
        now += PERIOD;
        assertThat(limit.step(some.state(), now, Request.cancel(1, first.decision()))
                        .state())
                .as("of a window that has ended")
                .isSameAs(some.state());
        Step<FixedWindow.State> next = take(limit, some.state(), 2);
        Step<FixedWindow.State> late = limit.step(next.state(), now + 1, Request.cancel(1, first.decision()));
        assertThat(late.state()).isSameAs(next.state());
        assertThat(late.decision()).isEqualTo(new Decision(true, 5, 3, 0, 0, PERIOD - 1));
        Step<FixedWindow.State> charged = limit.step(next.state(), now + 2, Request.charge(9));
        assertThat(limit.step(charged.state(), now + 2, Request.cancel(9, charged.decision()))
                        .state())
                .isEqualTo(next.state());
    }

    @Test
    void a_window_shortened_by_another_period_accepts_the_first_cancellation() {
        FixedWindow limit = FixedWindow.of(5, TEN_SECONDS);
        Step<FixedWindow.State> taken = take(limit, null, 4);
        FixedWindow shorter = FixedWindow.of(5, Duration.ofSeconds(1));
        assertThat(shorter.step(taken.state(), now, Request.cancel(2, taken.decision()))
                        .state())
                .isEqualTo(new FixedWindow.State(2, (now + 1_000_000) / 1000.0));
    }

    @Test
    void a_log_cancels_the_entry_of_the_grant() {
        SlidingLog limit = SlidingLog.of(5, TEN_SECONDS);
        Step<SlidingLog.State> first = take(limit, null, 2);
        long start = now;
        assertThat(first.decision().ticketMicros()).isEqualTo(start);
        now += 1;
        Step<SlidingLog.State> second = take(limit, first.state(), 3);
        Step<SlidingLog.State> some = limit.step(second.state(), now + 1, Request.cancel(1, first.decision()));
        assertThat(some.state()).isEqualTo(log(start, 1, now, 4));
        assertThat(some.decision()).isEqualTo(new Decision(true, 5, 1, 0, 0, PERIOD - 1));
        Step<SlidingLog.State> all = limit.step(some.state(), now + 1, Request.cancel(7, first.decision()));
        assertThat(all.state()).as("no more than it has").isEqualTo(log(now, 3));
        assertThat(limit.step(all.state(), now + 1, Request.cancel(1, first.decision()))
                        .state())
                .isSameAs(all.state());
        Step<SlidingLog.State> none = limit.step(all.state(), now + 1, Request.cancel(3, second.decision()));
        assertThat(none.state()).isEqualTo(SlidingLog.State.EMPTY);
        assertThat(none.decision()).isEqualTo(new Decision(true, 5, 5, 0, 0, 0));
        assertThat(limit.step(second.state(), start + PERIOD, Request.cancel(2, first.decision()))
                        .state())
                .as("of what has left")
                .isSameAs(second.state());
    }

    @Test
    void a_log_cancels_nothing_in_entries_that_were_moved_or_merged() {
        SlidingLog limit = SlidingLog.of(1, TEN_SECONDS);
        Step<SlidingLog.State> taken = take(limit, null, 1);
        Step<SlidingLog.State> moved = limit.step(taken.state(), now - 5, Request.cancel(1, taken.decision()));
        assertThat(moved.state()).isEqualTo(log(now - 5, 1));
        SlidingLog.@Nullable State state = taken.state();
        for (int i = 1; i < 5; i++) {
            state = limit.step(state, now + i, Request.charge(1)).state();
        }
        assertThat(state).isEqualTo(log(now + 1, 2, now + 2, 3, now + 3, 4, now + 4, 5));
        assertThat(limit.step(state, now + 4, Request.cancel(1, taken.decision()))
                        .state())
                .isSameAs(state);
    }

    @Test
    void a_counter_cancels_in_the_window_of_the_grant() {
        SlidingCounter limit = SlidingCounter.of(5, TEN_SECONDS);
        now -= now % PERIOD;
        Step<SlidingCounter.State> first = take(limit, null, 4);
        assertThat(first.decision().ticketMicros()).isEqualTo(now);
        now += PERIOD;
        Step<SlidingCounter.State> second = take(limit, first.state(), 1);
        Step<SlidingCounter.State> some = limit.step(second.state(), now + 1, Request.cancel(3, first.decision()));
        assertThat(some.state()).isEqualTo(new SlidingCounter.State(1, 1, now, PERIOD));
        assertThat(some.decision().remaining()).isEqualTo(3);
        assertThat(limit.step(some.state(), now + 1, Request.cancel(3, first.decision()))
                        .state())
                .as("no more than it has")
                .isEqualTo(new SlidingCounter.State(0, 1, now, PERIOD));
        assertThat(limit.step(some.state(), now + 1, Request.cancel(1, second.decision()))
                        .state())
                .isEqualTo(new SlidingCounter.State(1, 0, now, PERIOD));
        Step<SlidingCounter.State> later = limit.step(some.state(), now + PERIOD, Request.cancel(1, first.decision()));
        assertThat(later.state()).as("of one before both").isSameAs(some.state());
    }

    @Test
    void a_counter_of_two_periods_cancels_in_both() {
        SlidingCounter limit = SlidingCounter.of(5, TEN_SECONDS);
        SlidingCounter longer = SlidingCounter.of(9, TEN_SECONDS.multipliedBy(2));
        now -= now % (2 * PERIOD);
        Step<SlidingCounter.State> first = take(limit, take(longer, null, 1).state(), 2);
        now += PERIOD;
        Step<SlidingCounter.State> second = take(limit, first.state(), 1);
        SlidingCounter.State state = limit.step(second.state(), now, Request.cancel(2, first.decision()))
                .state();
        assertThat(state)
                .isEqualTo(new SlidingCounter.State(
                        1,
                        1,
                        now,
                        PERIOD,
                        new SlidingCounter.State.OtherWindows(
                                new SlidingCounter.State(0, 2, now - PERIOD, 2 * PERIOD), now - PERIOD)));
    }

    @Test
    void windows_count_grants_minus_cancellations() {
        for (int run = 0; run < 100; run++) {
            compare(
                    FixedWindow.of(1 + random.nextInt(20), TEN_SECONDS),
                    grants -> grants.stream()
                            .filter(grant -> grant.decision.ticketMicros() > now)
                            .mapToLong(Grant::counted)
                            .sum());
        }
    }

    @Test
    void logs_count_grants_minus_cancellations() {
        for (int run = 0; run < 100; run++) {
            compare(
                    SlidingLog.of(1 + random.nextInt(20), TEN_SECONDS),
                    grants -> grants.stream()
                            .filter(grant -> grant.micros > now - PERIOD)
                            .mapToLong(Grant::counted)
                            .sum());
        }
    }

    @Test
    void counters_count_grants_minus_cancellations() {
        for (int run = 0; run < 100; run++) {
            compare(SlidingCounter.of(1 + random.nextInt(20), TEN_SECONDS), grants -> {
                long window = now / PERIOD;
                long current = ofWindow(grants, window);
                long fading = ofWindow(grants, window - 1) * (PERIOD - now % PERIOD);
                return current + (fading + PERIOD - 1) / PERIOD;
            });
        }
    }

    private static long ofWindow(List<Grant> grants, long window) {
        return grants.stream()
                .filter(grant -> grant.micros / PERIOD == window)
                .mapToLong(Grant::counted)
                .sum();
    }

    /** Random grants and cancellations: the limit and a ledger of all grants have the same remaining permits. */
    private <S> void compare(Limit<S> limit, ToLongFunction<List<Grant>> counted) {
        List<Grant> grants = new ArrayList<>();
        @Nullable S state = null;
        for (int i = 0; i < 200; i++) {
            now += random.nextInt(3) == 0 ? 0 : random.nextInt(random.nextInt(8) == 0 ? 20_000_000 : 3_000_000);
            if (random.nextBoolean() && !grants.isEmpty()) {
                Grant cancelled = grants.get(Math.max(0, grants.size() - 1 - random.nextInt(8)));
                int permits = cancelled.permits == 0 ? 0 : 1 + random.nextInt(cancelled.permits);
                if (permits > 0) {
                    cancelled.permits -= permits;
                    state = limit.step(state, now, Request.cancel(permits, cancelled.decision))
                            .state();
                }
            } else {
                int permits = 1 + random.nextInt(4);
                boolean fits = counted.applyAsLong(grants) + permits <= limit.capacity();
                Step<S> step = limit.step(state, now, Request.take(permits, 0));
                state = step.state();
                assertThat(step.decision().granted()).as(Seed.hint()).isEqualTo(fits);
                if (fits) {
                    grants.add(new Grant(now, permits, step.decision()));
                }
            }
            assertThat(limit.step(state, now, Request.peek(1, 0)).decision().remaining())
                    .as("%s after %d steps; %s", limit, i, Seed.hint())
                    .isEqualTo(Math.max(0, limit.capacity() - counted.applyAsLong(grants)));
        }
    }

    private <S> Step<S> take(Limit<S> limit, @Nullable S state, int permits) {
        Step<S> step = limit.step(state, now, Request.take(permits, 0));
        assertThat(step.decision().granted()).isTrue();
        return step;
    }

    /** Times and totals in turn. */
    private static SlidingLog.State log(long... timesAndTotals) {
        double[] times = new double[timesAndTotals.length / 2];
        double[] totals = new double[times.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = timesAndTotals[2 * i];
            totals[i] = timesAndTotals[2 * i + 1];
        }
        return new SlidingLog.State(times, totals);
    }

    private static final class Grant {

        private final long micros;
        private final Decision decision;
        private int permits;

        Grant(long micros, int permits, Decision decision) {
            this.micros = micros;
            this.permits = permits;
            this.decision = decision;
        }

        long counted() {
            return permits;
        }
    }
}
