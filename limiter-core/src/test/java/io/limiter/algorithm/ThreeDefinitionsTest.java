package io.limiter.algorithm;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Steps;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Limiters of three definitions with different periods take permits of one state, as plans of a limit do: what was used stays
 * used after visits to the others. So between two grants of one of them in one of its periods, all together take no more than
 * its limit, and in the shortest period no more than twice the largest one.
 */
class ThreeDefinitionsTest {

    private static final int ROUNDS = Steps.of(150);
    private static final int STEPS = 200;
    private static final ZoneId KATHMANDU = ZoneId.of("Asia/Kathmandu");

    /** They divide a day, and one another or not. */
    private static final List<Integer> MILLIS =
            List.of(100, 200, 250, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 3000);

    private final Random random = Seed.random();

    @Test
    void windows_that_open_with_a_request_keep_what_was_used() {
        walk(FixedWindow::of);
    }

    @Test
    void windows_of_the_calendar_keep_what_was_used() {
        walk((limit, period) -> FixedWindow.of(limit, calendar()));
    }

    @Test
    void windows_of_one_unit_keep_what_was_used() {
        List<CalendarPeriod> months = List.of(
                CalendarPeriod.MONTH,
                CalendarPeriod.MONTH.in(KATHMANDU),
                CalendarPeriod.MONTH.from(LocalDate.parse("2020-01-15")),
                CalendarPeriod.MONTH.from(LocalDate.parse("2020-01-31")));
        walk((limit, period) -> FixedWindow.of(limit, months.get(random.nextInt(4))));
    }

    @Test
    void windows_of_both_kinds_keep_what_was_used() {
        walk((limit, period) ->
                random.nextBoolean() ? FixedWindow.of(limit, period) : FixedWindow.of(limit, calendar()));
    }

    private CalendarPeriod calendar() {
        CalendarPeriod period = CalendarPeriod.of(
                        List.of("minute", "hour", "day", "week", "month").get(random.nextInt(5)))
                .in(random.nextBoolean() ? ZoneOffset.UTC : KATHMANDU);
        return period.length().toDays() < 7 || random.nextBoolean()
                ? period
                : period.from(LocalDate.parse("2020-01-01").plusDays(random.nextInt(400)));
    }

    @Test
    void sliding_logs_keep_what_was_used() {
        walk(SlidingLog::of);
    }

    /** Whatever has been charged in a long period, a shorter one counts what it grants, and the log can be stored and read. */
    @Test
    void sliding_logs_with_huge_charges_keep_what_was_used() {
        for (int round = 0; round < ROUNDS; round++) {
            List<SlidingLog> three = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                three.add(SlidingLog.of(
                        1 + random.nextInt(30), Duration.ofMillis(MILLIS.get(random.nextInt(MILLIS.size())))));
            }
            List<Grant> grants = new ArrayList<>();
            long now = TraceLine.EPOCH_MICROS;
            SlidingLog.State state = null;
            for (int i = 0; i < STEPS; i++) {
                now += random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 300_000);
                SlidingLog limit = three.get(random.nextInt(3));
                int permits = 1 + random.nextInt(3);
                boolean charges = random.nextInt(8) == 0;
                long charged = random.nextBoolean() ? Ranges.MAX_PERMITS : (1L << 31) / (1 + random.nextInt(3));
                Step<SlidingLog.State> step =
                        limit.step(state, now, charges ? Request.charge(charged) : Request.take(permits, 0));
                state = step.state();
                if (state != null) {
                    SlidingLog.State stored = new SlidingLog.State(state.timesMicros(), state.totals(), state.uses());
                    assertThat(stored).isEqualTo(state);
                }
                if (!charges && step.verdict().isGranted()) {
                    grants.add(new Grant(limit, now, 0.0, step.verdict(), permits));
                    check(limit, grants, three);
                }
            }
        }
    }

    /** They estimate, and so are checked against their shortest period only. */
    @Test
    void sliding_counters_keep_what_was_used() {
        walk(SlidingCounter::of);
    }

    /**
     * They reserve ahead, and cancel under the definition that granted. Due are never more permits than the largest capacity and the
     * largest rate allow.
     */
    @Test
    void token_buckets_grant_no_more_than_the_largest() {
        for (int round = 0; round < ROUNDS; round++) {
            TokenBucket first = bucket();
            List<TokenBucket> three = List.of(first, like(first), like(first));
            int most = (int)
                    three.stream().mapToDouble(TokenBucket::maxPermits).max().orElseThrow();
            boolean ahead = random.nextInt(4) > 0;
            Account account = new Account(first);
            for (int i = 0; i < STEPS / 2; i++) {
                account.pause(random.nextInt(4) > 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 500_000));
                account.limit(three.get(random.nextInt(3)));
                List<Account.Reserved> reservations = account.reservations();
                int what = random.nextInt(4);
                if (what == 0) {
                    account.take(
                            random.nextBoolean()
                                    ? Request.take(most + 1, 0)
                                    : Request.takeUpTo(most + 1).withLeave(random.nextInt(2)));
                } else if (what == 1 && !reservations.isEmpty()) {
                    Account.Reserved reserved = reservations.remove(random.nextInt(reservations.size()));
                    if (account.now() < reserved.fullAtMicros()) {
                        account.limit(reserved.limit());
                        account.cancel(reserved);
                    }
                } else {
                    account.take(
                            1 + random.nextInt(random.nextBoolean() ? 3 : most),
                            ahead && random.nextBoolean() ? random.nextInt(5_000_000) : 0);
                }
            }
            assertThat(account.ledger().excess(three))
                    .as(() -> three + ", " + account)
                    .isZero();
        }
    }

    /** What is left of a middle capacity fits into a small one, and is not all of a large one. */
    @Test
    void a_small_bucket_that_was_filled_from_a_larger_one_does_not_fill_the_largest() {
        TokenBucket middle = TokenBucket.perSecond(1).withCapacity(50);
        TokenBucket small = TokenBucket.perSecond(1.05).withCapacity(10);
        TokenBucket large = TokenBucket.perSecond(21).withCapacity(100);
        Account account = new Account(middle);
        account.reserve(40);
        account.limit(small);
        account.take(1, 0);
        account.limit(large);
        while (account.take(1, 0) != null) {
            account.pause(0);
        }
        assertThat(account.ledger().excess(List.of(middle, small, large)))
                .as(account::toString)
                .isZero();
    }

    /** One microsecond is in both windows: in the first, all that was granted in it; in the second, what was granted after it opened. */
    @Test
    void permits_that_are_cancelled_return_to_the_windows_that_have_counted_them() {
        FixedWindow first = window(10, 1_200);
        FixedWindow second = window(10, 1_000);
        FixedWindow third = window(3, 1_200);
        long now = TraceLine.EPOCH_MICROS;
        long later = now + 1_100_000;
        Step<FixedWindow.State> opened = first.step(null, now, Request.take(1, 0));
        Step<FixedWindow.State> before = first.step(opened.state(), later, Request.take(2, 0));
        Step<FixedWindow.State> after = second.step(before.state(), later, Request.take(1, 0));
        Step<FixedWindow.State> inherited = third.step(after.state(), now + 1_300_000, Request.take(1, 0));
        FixedWindow.State cancelled = first.step(
                        inherited.state(), now + 1_300_000, Request.cancel(2, before.verdict()))
                .state();
        assertThat(third.step(cancelled, now + 1_300_000, Request.peek(1, 0))
                        .verdict()
                        .remaining())
                .as("the second window has never counted the two")
                .isEqualTo(1);
        cancelled = second.step(cancelled, now + 1_300_000, Request.cancel(1, after.verdict()))
                .state();
        assertThat(third.step(cancelled, now + 1_300_000, Request.peek(1, 0))
                        .verdict()
                        .remaining())
                .as("it has counted the first that it granted")
                .isEqualTo(2);
    }

    /** A window by the clock begins before it is used. */
    @Test
    void a_window_by_the_clock_does_not_get_back_what_was_taken_before_it_was_used() {
        FixedWindow short3 = window(3, 10_000);
        FixedWindow byClock = FixedWindow.of(3, CalendarPeriod.MINUTE);
        long minute = TraceLine.EPOCH_MICROS / 60_000_000 * 60_000_000;
        Step<FixedWindow.State> first = short3.step(null, minute + 5_000_000, Request.take(3, 0));
        Step<FixedWindow.State> second = byClock.step(first.state(), minute + 20_000_000, Request.take(3, 0));
        assertThat(second.verdict().isGranted()).isTrue();
        FixedWindow.State cancelled = short3.step(
                        second.state(), minute + 22_000_000, Request.cancel(3, first.verdict()))
                .state();
        assertThat(byClock.step(cancelled, minute + 23_000_000, Request.take(1, 0))
                        .verdict()
                        .isGranted())
                .isFalse();
        cancelled = byClock.step(cancelled, minute + 23_000_000, Request.cancel(3, second.verdict()))
                .state();
        assertThat(byClock.step(cancelled, minute + 24_000_000, Request.take(3, 0))
                        .verdict()
                        .isGranted())
                .as("what it has counted comes back")
                .isTrue();
    }

    private static FixedWindow window(int limit, int millis) {
        return FixedWindow.of(limit, Duration.ofMillis(millis));
    }

    private TokenBucket like(TokenBucket bucket) {
        return random.nextBoolean() ? bucket.withRate(rate()) : bucket();
    }

    private TokenBucket bucket() {
        return TokenBucket.perSecond(rate()).withCapacity(1 + random.nextInt(random.nextBoolean() ? 3 : 50));
    }

    private double rate() {
        return Math.pow(10, 2 * random.nextDouble());
    }

    private static final class Grant {

        private final LimitStep<?> limit;
        private final long micros;
        private final double window;
        private final Verdict decision;
        private final long taken;
        private long permits;

        Grant(LimitStep<?> limit, long micros, double window, Verdict decision, long taken) {
            this.limit = limit;
            this.micros = micros;
            this.window = window;
            this.decision = decision;
            this.taken = taken;
            this.permits = taken;
        }

        @Override
        public String toString() {
            return "%d of %d@%d of %d in %d µs until %.0f"
                    .formatted(permits, taken, micros, limit.capacity(), periodMicros(limit), window);
        }
    }

    private <S, L extends LimitStep<S>> void walk(BiFunction<Integer, Duration, L> definition) {
        for (int round = 0; round < ROUNDS; round++) {
            List<L> three = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int limit = 1 + random.nextInt(random.nextBoolean() ? 5 : 30);
                three.add(definition.apply(limit, Duration.ofMillis(MILLIS.get(random.nextInt(MILLIS.size())))));
            }
            // Periods of the calendar are up to 15,000 times as long as the others.
            int pace = three.stream().noneMatch(ThreeDefinitionsTest::isOfCalendar)
                    ? 1
                    : (int) Math.pow(10, random.nextInt(8));
            // Mostly all that a limit has, or a few permits of it.
            boolean greedy = random.nextBoolean();
            List<Grant> grants = new ArrayList<>();
            long now = TraceLine.EPOCH_MICROS;
            S state = null;
            for (int i = 0; i < STEPS; i++) {
                now += random.nextInt(4) == 0 ? 0 : (long) random.nextInt(random.nextBoolean() ? 1000 : 300_000) * pace;
                Grant last = grants.isEmpty() ? null : grants.get(Math.max(0, grants.size() - 1 - random.nextInt(4)));
                if (random.nextInt(6) == 0 && last != null && last.permits > 0) {
                    long cancelled = 1 + random.nextLong(last.permits);
                    last.permits -= cancelled;
                    L limit =
                            three.stream().filter(last.limit::equals).findAny().orElseThrow();
                    state = limit.step(state, now, Request.cancel(cancelled, last.decision))
                            .state();
                    continue;
                }
                L limit = three.get(random.nextInt(3));
                boolean more = true;
                while (more) {
                    Request request = Request.take(greedy ? 1 : 1 + random.nextInt(3), 0);
                    if (random.nextInt(4) == 0) {
                        request = Request.takeUpTo(1 + random.nextInt(random.nextBoolean() ? 3 : 50))
                                .withLeave(random.nextInt(2));
                    }
                    Step<S> step = limit.step(state, now, request);
                    state = step.state();
                    more = greedy && step.verdict().isGranted();
                    if (step.verdict().isGranted()) {
                        double window = windowEnd(limit, three, now, step.state());
                        long taken = step.verdict().takenBy(request);
                        grants.add(new Grant(limit, now, window, step.verdict(), taken));
                        check(limit, grants, three);
                    }
                }
            }
        }
    }

    private static boolean isOfCalendar(LimitStep<?> limit) {
        return limit instanceof FixedWindow window && window.calendar() != null;
    }

    /** Which window of its limit a grant is in: of the calendar, until the next end that any of the same unit names. */
    private static double windowEnd(
            LimitStep<?> limit, List<? extends LimitStep<?>> three, long now, @Nullable Object state) {
        if (!isOfCalendar(limit)) {
            return state instanceof FixedWindow.State window ? window.endMicros() : 0.0;
        }
        return three.stream()
                .filter(other -> isOfCalendar(other) && periodMicros(other) == periodMicros(limit))
                .mapToLong(other ->
                        requireNonNull(((FixedWindow) other).calendar()).at(now).endMicros())
                .min()
                .orElseThrow();
    }

    private static void check(LimitStep<?> limit, List<Grant> grants, List<? extends LimitStep<?>> three) {
        Grant last = grants.get(grants.size() - 1);
        Supplier<String> what = () -> "%sgrants of %s, of %s: %s".formatted(Seed.hint(), limit, three, grants);
        if (!(limit instanceof SlidingCounter)) {
            assertThat(sinceItsFirst(limit, last, grants)).as(what).isLessThanOrEqualTo(limit.capacity());
        }
        long shortest = three.stream()
                .mapToLong(ThreeDefinitionsTest::periodMicros)
                .min()
                .orElseThrow();
        long largest = three.stream().mapToLong(LimitStep::capacity).max().orElseThrow();
        // In one period the calendar may end windows of one definition twice, and three definitions name as many ends.
        int windows = three.stream().anyMatch(ThreeDefinitionsTest::isOfCalendar) ? 2 * three.size() : 2;
        assertThat(sum(grants, last.micros - shortest)).as(what).isLessThanOrEqualTo(windows * largest);
    }

    /** What all have taken since the first grant of this limit in the same period. */
    private static long sinceItsFirst(LimitStep<?> limit, Grant last, List<Grant> grants) {
        long sum = 0;
        boolean counts = false;
        for (Grant grant : grants) {
            counts |= grant.limit.equals(limit)
                    && grant.window == last.window
                    && grant.micros > last.micros - periodMicros(limit);
            sum += counts ? grant.permits : 0;
        }
        return sum;
    }

    private static long sum(List<Grant> grants, long afterMicros) {
        return grants.stream()
                .filter(grant -> grant.micros > afterMicros)
                .mapToLong(grant -> grant.permits)
                .sum();
    }

    private static long periodMicros(LimitStep<?> limit) {
        return Ranges.micros(
                limit instanceof FixedWindow window
                        ? window.period()
                        : limit instanceof SlidingLog log ? log.period() : ((SlidingCounter) limit).period());
    }
}
