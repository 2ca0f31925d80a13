package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.LimitStep;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** Cancelled grants of windows, logs and counters, as long as they count. */
class CancelledGrantsTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final long PERIOD = 10_000_000;
    private static final long START = EPOCH_MICROS - EPOCH_MICROS % (2 * PERIOD);

    private final Random random = Seed.random();
    private long now = EPOCH_MICROS;

    @Test
    void a_window_cancels_its_own_permits_only() {
        Timeline<FixedWindow.State> window = new Timeline<>(FixedWindow.of(5, TEN_SECONDS));
        Verdict first = window.take(START, 4, 0);
        assertThat(first.ticketMicros()).as("after the start of the window").isEqualTo(START + 1);
        assertThat(window.cancel(START + 1, 3, first).remaining()).isEqualTo(4);
        FixedWindow.State ended = window.state();
        window.cancel(START + PERIOD, 1, first);
        assertThat(window.state()).as("of a window that has ended").isSameAs(ended);
        window.take(START + PERIOD, 2, 0);
        FixedWindow.State next = window.state();
        assertThat(window.cancel(START + PERIOD + 1, 1, first))
                .isEqualTo(verdict(true, 5, 3, 0, 0, PERIOD - 1).withPeriodEndMicros(START + 2 * PERIOD));
        assertThat(window.state()).isSameAs(next);
        window.cancel(START + PERIOD + 2, 9, window.charge(START + PERIOD + 2, 9));
        assertThat(window.state()).isEqualTo(next);
    }

    @Test
    void a_window_that_ends_by_the_clock_cancels_what_it_counted_whatever_the_offset() {
        FixedWindow day = FixedWindow.of(9, CalendarPeriod.DAY.in(ZoneId.of("Europe/Berlin")));
        Timeline<FixedWindow.State> window = new Timeline<>(day);
        // A day of 25 hours.
        Verdict first = window.take(micros("2026-10-24T21:59:59Z"), 1, 0);
        Verdict second = window.take(micros("2026-10-24T22:00:00Z"), 1, 0);
        assertThat(window.cancel(micros("2026-10-25T00:59:59Z"), 1, first).remaining())
                .isEqualTo(8);
        assertThat(window.cancel(micros("2026-10-25T00:59:59Z"), 1, second).remaining())
                .isEqualTo(9);
        Verdict third = window.take(micros("2026-10-25T00:59:59Z"), 1, 0);
        Verdict fourth = window.take(micros("2026-10-25T01:00:00Z"), 1, 0);
        assertThat(window.cancel(micros("2026-10-25T22:59:59Z"), 1, third).remaining())
                .as("from before the change, too")
                .isEqualTo(8);
        assertThat(window.cancel(micros("2026-10-25T22:59:59Z"), 1, fourth).remaining())
                .isEqualTo(9);
    }

    private static long micros(String instant) {
        return Instant.parse(instant).getEpochSecond() * 1_000_000;
    }

    @Test
    void a_log_cancels_the_entry_of_the_grant() {
        SlidingLog limit = SlidingLog.of(5, TEN_SECONDS);
        Timeline<SlidingLog.State> log = new Timeline<>(limit);
        Verdict first = log.take(START, 2, 0);
        assertThat(first.ticketMicros()).isEqualTo(START);
        Verdict second = log.take(START + 1, 3, 0);
        SlidingLog.State both = log.state();
        log.cancel(START + PERIOD, 2, first);
        assertThat(log.state()).as("of an entry that no longer counts").isSameAs(both);
        assertThat(log.cancel(START + 2, 1, first)).isEqualTo(verdict(true, 5, 1, 0, 0, PERIOD - 1));
        assertThat(log.state()).isEqualTo(log(limit, START, 1, START + 1, 4));
        log.cancel(START + 2, 7, first);
        assertThat(log.state()).as("no more than it has").isEqualTo(log(limit, START + 1, 3));
        SlidingLog.State one = log.state();
        log.cancel(START + 2, 1, first);
        assertThat(log.state()).isSameAs(one);
        assertThat(log.cancel(START + 2, 3, second)).isEqualTo(verdict(true, 5, 5, 0, 0, 0));
        assertThat(log.state()).isEqualTo(log(limit));
    }

    @Test
    void a_log_cancels_nothing_in_entries_that_were_moved_or_merged() {
        SlidingLog limit = SlidingLog.of(1, TEN_SECONDS);
        Timeline<SlidingLog.State> moved = new Timeline<>(limit);
        moved.cancel(START - 5, 1, moved.take(START, 1, 0));
        assertThat(moved.state()).isEqualTo(log(limit, START - 5, 1));
        Timeline<SlidingLog.State> merged = new Timeline<>(limit);
        Verdict taken = merged.take(START, 1, 0);
        for (int i = 1; i < 5; i++) {
            merged.charge(START + i, 1);
        }
        SlidingLog.State charged = merged.state();
        assertThat(charged).isEqualTo(log(limit, START + 1, 2, START + 2, 3, START + 3, 4, START + 4, 5));
        merged.cancel(START + 4, 1, taken);
        assertThat(merged.state()).isSameAs(charged);
    }

    @Test
    void a_counter_cancels_in_the_window_of_the_grant() {
        Timeline<SlidingCounter.State> counter = new Timeline<>(SlidingCounter.of(5, TEN_SECONDS));
        Verdict first = counter.take(START, 4, 0);
        assertThat(first.ticketMicros()).isEqualTo(START);
        long next = START + PERIOD;
        Verdict second = counter.take(next, 1, 0);
        assertThat(counter.cancel(next + 1, 3, first).remaining()).isEqualTo(3);
        SlidingCounter.State one = new SlidingCounter.State(1, 1, next, PERIOD);
        assertThat(counter.state()).isEqualTo(one);
        counter.cancel(next + 1, 3, first);
        assertThat(counter.state()).as("no more than it has").isEqualTo(new SlidingCounter.State(0, 1, next, PERIOD));
        counter.state(one).cancel(next + 1, 1, second);
        assertThat(counter.state()).isEqualTo(new SlidingCounter.State(1, 0, next, PERIOD));
        counter.state(one).cancel(next + PERIOD, 1, first);
        assertThat(counter.state()).as("of a window before both").isSameAs(one);
    }

    @Test
    void a_counter_of_two_periods_cancels_in_both() {
        SlidingCounter limit = SlidingCounter.of(5, TEN_SECONDS);
        Timeline<SlidingCounter.State> counter = new Timeline<>(SlidingCounter.of(9, TEN_SECONDS.multipliedBy(2)));
        counter.take(START, 1, 0);
        Verdict first = counter.limit(limit).take(START, 2, 0);
        long next = START + PERIOD;
        counter.take(next, 1, 0);
        counter.cancel(next, 2, first);
        SlidingCounter.State longer = new SlidingCounter.State(0, 2, START, 2 * PERIOD);
        assertThat(counter.state())
                .isEqualTo(new SlidingCounter.State(
                        1, 1, next, PERIOD, new SlidingCounter.State.OtherWindows(longer, START)));
    }

    @Test
    void windows_count_grants_minus_cancellations() {
        compare(FixedWindow::of, grants -> sum(grants, grant -> grant.micros + grant.decision.fullAfterMicros() > now));
    }

    @Test
    void logs_count_grants_minus_cancellations() {
        compare(SlidingLog::of, grants -> sum(grants, grant -> grant.micros > now - PERIOD));
    }

    @Test
    void counters_count_grants_minus_cancellations() {
        compare(SlidingCounter::of, grants -> {
            long window = now / PERIOD;
            long current = sum(grants, grant -> grant.micros / PERIOD == window);
            long previous = sum(grants, grant -> grant.micros / PERIOD == window - 1);
            return current + (previous * (PERIOD - now % PERIOD) + PERIOD - 1) / PERIOD;
        });
    }

    private static long sum(List<Grant> grants, Predicate<Grant> counts) {
        return grants.stream().filter(counts).mapToLong(grant -> grant.permits).sum();
    }

    /** Random grants and cancellations: the limit and a ledger of all grants have the same remaining permits. */
    private <S> void compare(BiFunction<Integer, Duration, LimitStep<S>> limits, ToLongFunction<List<Grant>> counted) {
        for (int run = 0; run < 100; run++) {
            LimitStep<S> limit = limits.apply(1 + random.nextInt(20), TEN_SECONDS);
            Timeline<S> timeline = new Timeline<>(limit);
            List<Grant> grants = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                now += random.nextInt(3) == 0 ? 0 : random.nextInt(random.nextInt(8) == 0 ? 20_000_000 : 3_000_000);
                if (random.nextBoolean() && !grants.isEmpty()) {
                    Grant cancelled = grants.get(Math.max(0, grants.size() - 1 - random.nextInt(8)));
                    if (cancelled.permits > 0) {
                        long permits = 1 + random.nextLong(cancelled.permits);
                        cancelled.permits -= permits;
                        timeline.cancel(now, permits, cancelled.decision);
                    }
                } else {
                    long permits = 1 + random.nextInt(4);
                    boolean fits = counted.applyAsLong(grants) + permits <= limit.capacity();
                    Verdict decision = timeline.take(now, permits, 0);
                    assertThat(decision.isGranted()).as(Seed.hint()).isEqualTo(fits);
                    if (fits) {
                        grants.add(new Grant(now, permits, decision));
                    }
                }
                assertThat(timeline.peek(now, 1, 0).remaining())
                        .as("%s after %d steps; %s", limit, i, Seed.hint())
                        .isEqualTo(Math.max(0, limit.capacity() - counted.applyAsLong(grants)));
            }
        }
    }

    /** Times and totals in turn. */
    private static SlidingLog.State log(SlidingLog limit, long... timesAndTotals) {
        double[] times = new double[timesAndTotals.length / 2];
        double[] totals = new double[times.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = timesAndTotals[2 * i];
            totals[i] = timesAndTotals[2 * i + 1];
        }
        return new SlidingLog.State(times, totals, LogUses.of(limit));
    }

    private static final class Grant {

        private final long micros;
        private final Verdict decision;
        private long permits;

        Grant(long micros, long permits, Verdict decision) {
            this.micros = micros;
            this.permits = permits;
            this.decision = decision;
        }
    }
}
