package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Cancelled reservations: what they restore, and that never more permits come due than the limit allows. */
class CancelTest {

    private static final long NOW = 1_763_650_000_000_000L;
    private static final int STEPS = 100_000;
    private static final int STEPS_PER_BUCKET = 60;

    private final Random random = Seed.random();
    private long now = NOW;
    private RedisPermits state;

    @Test
    void repeated_cancellations_do_not_make_reservations_due_together() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        Ledger ledger = new Ledger();
        ledger.granted(now, 10);
        reserve(bucket, 10);
        List<Decision> reserved = new ArrayList<>();
        List<Ledger.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            reserved.add(reserve(bucket, 10));
            entries.add(ledger.granted(now + reserved.get(i).waitMicros(), 10));
        }
        for (int i = 0; i < 19; i++) {
            cancel(bucket, 10, reserved.get(i));
            entries.get(i).cancel();
            ledger.granted(now + reserve(bucket, 10).waitMicros(), 10);
        }
        assertThat(ledger.excess(10, 10)).isZero();
    }

    @Test
    void a_cancelled_queue_leaves_no_trace_in_any_order() {
        TokenBucket queue = LeakyBucket.queue(10, 100);
        for (List<Integer> order : List.of(upTo(100), reversed(upTo(100)), shuffled(upTo(100)))) {
            state = null;
            reserve(queue, 1);
            List<Decision> waiting =
                    upTo(100).stream().map(i -> reserve(queue, 1)).toList();
            assertThat(waiting.get(99).waitMicros()).isEqualTo(10_000_000);
            order.forEach(i -> cancel(queue, 1, waiting.get(i)));
            assertThat(reserve(queue, 1).waitMicros()).isBetween(0L, 100_000L);
            assertThat(reserve(queue, 1).waitMicros()).isBetween(100_000L, 200_000L);
        }
    }

    /** Tickets are later than the next free one after earlier reservations were cancelled. */
    @Test
    void tickets_are_kept_until_they_are_due() {
        TokenBucket bucket = TokenBucket.of(10, 1).withExpire(Duration.ofMillis(1));
        Ledger ledger = new Ledger();
        reserve(bucket, 10);
        Decision large = reserve(bucket, 2000);
        List<Decision> small = upTo(10).stream().map(i -> reserve(bucket, 10)).toList();
        cancel(bucket, 2000, large);
        long keptUntil = now + 1000 * bucket.lifetimeMillis(state, now);
        now += 23_000_000;
        if (now >= keptUntil) {
            state = null;
        }
        ledger.granted(now, 10);
        reserve(bucket, 10);
        List<Decision> late = upTo(190).stream().map(i -> reserve(bucket, 10)).toList();
        small.forEach(reserved -> cancel(bucket, 10, reserved));
        late.subList(0, 180).forEach(reserved -> cancel(bucket, 10, reserved));
        late.subList(180, 190).forEach(reserved -> ledger.granted(now + reserved.waitMicros(), 10));
        for (int i = 0; i < 190; i++) {
            ledger.granted(now + reserve(bucket, 10).waitMicros(), 10);
        }
        assertThat(ledger.excess(10, 10)).isZero();
    }

    @Test
    void the_end_of_a_queue_leaves_no_trace_if_the_last_is_cancelled_first() {
        TokenBucket queue = LeakyBucket.queue(10, 100);
        reserve(queue, 1);
        List<Decision> waiting = upTo(100).stream().map(i -> reserve(queue, 1)).toList();
        for (int i = 99; i >= 40; i--) {
            cancel(queue, 1, waiting.get(i));
        }
        assertThat(reserve(queue, 1).waitMicros()).isEqualTo(4_100_000);
    }

    @Test
    void a_bucket_that_was_full_holds_all_but_what_is_used_whatever_was_cancelled() {
        TokenBucket bucket = TokenBucket.of(1, 10);
        List<Decision> taken = upTo(6).stream().map(i -> reserve(bucket, 1)).toList();
        cancel(bucket, 1, taken.get(0));
        cancel(bucket, 1, taken.get(1));
        cancel(bucket, 1, taken.get(5));
        reserve(bucket, 1);
        cancel(bucket, 1, taken.get(2));
        assertThat(state.storedPermits()).isEqualTo(7);
    }

    @Test
    void a_large_reservation_delays_no_request_after_its_cancellation() {
        TokenBucket bucket = TokenBucket.of(1, 1);
        cancel(bucket, 3000, reserve(bucket, 3000));
        assertThat(reserve(bucket, 1).waitMicros()).isZero();
    }

    @Test
    void later_reservations_stay_and_are_not_restored() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        reserve(bucket, 10);
        Decision first = reserve(bucket, 10);
        Decision second = reserve(bucket, 1);
        assertThat(second.waitMicros()).isEqualTo(1_100_000);
        cancel(bucket, 10, first);
        // Nine of ten intervals; one was reserved later.
        assertThat(reserve(bucket, 1).waitMicros()).isEqualTo(300_000);
    }

    @Test
    void stored_permits_come_back_as_stored_ones() {
        TokenBucket bucket = TokenBucket.perSecond(10).withCapacity(1000);
        reserve(bucket, 500);
        Decision taken = reserve(bucket, 10);
        now += 1_000_000;
        reserve(bucket, 1);
        assertThat(remaining(bucket)).isEqualTo(499);
        cancel(bucket, 10, taken);
        assertThat(remaining(bucket)).isEqualTo(509);
    }

    /** The capacity has room for the nine that were reserved later and for one more. */
    @Test
    void of_a_reservation_before_others_as_much_comes_back_as_the_capacity_has_room_for() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        reserve(bucket, 10);
        Decision first = reserve(bucket, 3);
        reserve(bucket, 9);
        cancel(bucket, 3, first);
        assertThat(reserve(bucket, 1).waitMicros()).isEqualTo(1_200_000);
    }

    @Test
    void reservations_of_different_sizes_leave_no_trace_once_all_are_cancelled() {
        TokenBucket bucket = TokenBucket.of(10, 0.5);
        reserve(bucket, 5);
        int[] permits = {1, 2, 4, 3};
        List<Decision> made = new ArrayList<>();
        for (int n : permits) {
            made.add(reserve(bucket, n));
        }
        for (int i : List.of(2, 0, 1, 3)) {
            cancel(bucket, permits[i], made.get(i));
        }
        assertThat(reserve(bucket, 1).waitMicros()).isEqualTo(100_000);
    }

    /** Of any sizes and in any order: from an empty bucket, from stored permits, and while time passes. */
    @Test
    void random_reservations_leave_no_trace_once_all_are_cancelled() {
        for (int trial = 0; trial < 3000; trial++) {
            double rate = randomRate();
            TokenBucket bucket = TokenBucket.of(rate, randomCapacity() / rate)
                    .withWhoWaits(random.nextInt(3) == 0 ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                    .withMaxWait(Duration.ofDays(900));
            state = null;
            reserve(bucket, trial % 3 == 0 ? (int) bucket.capacity() : 1 + random.nextInt((int) bucket.capacity()));
            RedisPermits before = state;
            List<Reserved> made = new ArrayList<>();
            long fullFrom = Long.MAX_VALUE;
            StringBuilder story = new StringBuilder().append(before).append('\n');
            for (int left = 2 + random.nextInt(10); left > 0 || !made.isEmpty(); ) {
                if (left > 0 && random.nextInt(3) > 0) {
                    int permits = 1 + random.nextInt(2 * (int) bucket.capacity());
                    Decision decision = reserve(bucket, permits);
                    made.add(new Reserved(permits, decision, new Ledger().granted(now, permits)));
                    fullFrom = Math.min(fullFrom, now + decision.fullAfterMicros());
                    left--;
                    story.append(now)
                            .append(" reserve ")
                            .append(permits)
                            .append(' ')
                            .append(decision)
                            .append('\n');
                } else if (!made.isEmpty()) {
                    Reserved cancelled = made.remove(random.nextInt(made.size()));
                    cancel(bucket, cancelled.permits, cancelled.decision);
                    story.append(now)
                            .append(" cancel ")
                            .append(cancelled.permits)
                            .append(" at ");
                    story.append(cancelled.decision.ticketMicros())
                            .append(" -> ")
                            .append(state)
                            .append('\n');
                }
                if (trial % 3 == 2 && !made.isEmpty()) {
                    now += (long) ((fullFrom - now) * random.nextDouble() * 0.3);
                }
            }
            long wait = reserve(bucket, 10_000).waitMicros() + peek(bucket).waitMicros();
            state = before;
            long expected = reserve(bucket, 10_000).waitMicros() + peek(bucket).waitMicros();
            assertThat(wait).as(() -> bucket + "\n" + story + Seed.hint()).isBetween(expected - 4, expected + 4);
        }
    }

    /** A whole request is due at once on top of them there. */
    @Test
    void with_next_caller_more_than_the_capacity_is_not_restored_before_later_reservations() {
        TokenBucket bucket = TokenBucket.of(10, 0.5).withWhoWaits(WhoWaits.NEXT_CALLER);
        reserve(bucket, 5);
        Decision first = reserve(bucket, 20);
        Decision second = reserve(bucket, 2);
        Decision third = reserve(bucket, 5);
        Decision last = reserve(bucket, 1);
        cancel(bucket, 20, first);
        assertThat(peek(bucket).waitMicros()).isEqualTo(2_800_000);
        cancel(bucket, 2, second);
        cancel(bucket, 1, last);
        cancel(bucket, 5, third);
        assertThat(peek(bucket).waitMicros()).isZero();
    }

    @Test
    void with_next_caller_the_capacity_is_restored_minus_later_reservations() {
        TokenBucket bucket = TokenBucket.of(10, 0.5).withWhoWaits(WhoWaits.NEXT_CALLER);
        reserve(bucket, 5);
        Decision first = reserve(bucket, 5);
        reserve(bucket, 2);
        cancel(bucket, 5, first);
        assertThat(peek(bucket).waitMicros()).isEqualTo(400_000);
    }

    @Test
    void a_warm_up_restores_a_reservation_once_all_after_it_are_cancelled() {
        TokenBucket warming = TokenBucket.guava(10, Duration.ofSeconds(1));
        reserve(warming, 20);
        Decision first = reserve(warming, 20);
        Decision second = reserve(warming, 1);
        long reserved = peek(warming).waitMicros();
        cancel(warming, 20, first);
        assertThat(peek(warming).waitMicros()).isEqualTo(reserved);
        cancel(warming, 1, second);
        assertThat(peek(warming).waitMicros()).isEqualTo(reserved - 2_100_000);
    }

    @Test
    void stored_permits_are_restored_minus_later_grants() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        Decision taken = reserve(bucket, 10);
        now += 500_000;
        reserve(bucket, 5);
        cancel(bucket, 10, taken);
        assertThat(remaining(bucket)).isEqualTo(5);
        now += 10_000_000;
        assertThat(remaining(bucket)).isEqualTo(10);
    }

    @Test
    void a_cancellation_does_not_exceed_the_capacity() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        Decision taken = reserve(bucket, 4);
        now += 300_000;
        cancel(bucket, 4, taken);
        assertThat(remaining(bucket)).isEqualTo(10);
    }

    @Test
    void an_unknown_reservation_changes_nothing() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        Step<RedisPermits> none = bucket.step(null, now, new Request(Request.Action.REFUND, 3, 0, now + 1));
        assertThat(none.state()).isNull();
        reserve(bucket, 10);
        RedisPermits before = state;
        Request unknown = new Request(Request.Action.REFUND, 3, 0, now + 1);
        assertThat(bucket.step(state, now, unknown).state()).isSameAs(before);
    }

    @Test
    void a_cancellation_restores_a_cold_limiter() {
        TokenBucket cold = TokenBucket.guava(1, Duration.ofSeconds(10));
        reserve(cold, 1);
        RedisPermits before = state;
        Decision taken = reserve(cold, 4);
        cancel(cold, 4, taken);
        assertThat(state.storedPermits()).isEqualTo(before.storedPermits());
        assertThat(state.nextFreeTicketMillis()).isEqualTo(before.nextFreeTicketMillis());
    }

    @Test
    void a_refund_does_not_make_a_limiter_colder() {
        TokenBucket warming = TokenBucket.guava(1, Duration.ofSeconds(10));
        for (int i = 0; i < 10; i++) {
            now += reserve(warming, 1).waitMicros();
        }
        long wait = peek(warming).waitMicros();
        state = warming.step(state, now, Request.refund(100)).state();
        assertThat(peek(warming).waitMicros()).isEqualTo(wait);
        double stored = state.storedPermits();
        reserve(warming, 1);
        assertThat(state.storedPermits()).isLessThanOrEqualTo(stored);
    }

    @Test
    void a_refund_to_an_unused_bucket_adds_nothing() {
        TokenBucket empty = TokenBucket.of(1, 10).withStartsFull(false);
        assertThat(empty.step(null, now, Request.refund(5)).state()).isNull();
        assertThat(empty.step(null, now, Request.refund(5)).decision().remaining())
                .isZero();
    }

    /** Random reservations, cancellations, timeouts and maximum waits; refunds in every fourth bucket. */
    @Test
    void random_reservations_and_cancellations_never_exceed_the_limit() {
        for (int done = 0; done < STEPS; done += STEPS_PER_BUCKET) {
            int capacity = randomCapacity();
            double rate = randomRate();
            boolean refunds = done % (4 * STEPS_PER_BUCKET) == 0;
            RandomBucket bucket = new RandomBucket(rate, capacity, refunds, TokenBucket.of(rate, capacity / rate));
            // The worst case: one large reservation, and then small ones up to its size.
            for (int first = 1; first <= capacity; first++) {
                bucket.assertExcess(bucket.filled(0, first, 2 * capacity).excess(capacity, rate));
            }
        }
    }

    /** With NEXT_CALLER, a request for more than the capacity comes due at once on top of the others. */
    @Test
    void random_reservations_and_cancellations_never_exceed_the_limit_with_next_caller() {
        for (int done = 0; done < STEPS; done += STEPS_PER_BUCKET) {
            double capacity = random.nextInt(4) == 0 ? 0.1 + random.nextDouble() : randomCapacity();
            double rate = randomRate();
            boolean refunds = done % (4 * STEPS_PER_BUCKET) == 0;
            TokenBucket bucket = TokenBucket.perSecond(rate)
                    .withWhoWaits(WhoWaits.NEXT_CALLER)
                    .withCapacity(capacity);
            assertExcessButOne(new RandomBucket(rate, randomMost(capacity), refunds, bucket), capacity, rate);
        }
    }

    /** No permit takes less than the stable interval, so the capacity counts as 0. */
    @Test
    void random_reservations_and_cancellations_never_exceed_the_rate_of_a_warm_up() {
        for (int done = 0; done < STEPS; done += STEPS_PER_BUCKET) {
            double rate = randomRate();
            WarmUp warmUp = new WarmUp(
                    Duration.ofNanos((long) ((0.5 + 30 * random.nextDouble()) * 1e9 / rate)),
                    1.01 + 10 * random.nextDouble());
            int most = randomMost(warmUp.maxPermits(1e6 / rate));
            assertExcessButOne(
                    new RandomBucket(
                            rate, most, false, TokenBucket.perSecond(rate).withWarmUp(warmUp)),
                    0,
                    rate);
        }
    }

    private void assertExcessButOne(RandomBucket bucket, double capacity, double rate) {
        // Small ones up to what is reserved already, and then a large one.
        for (int i = 0; i < 4; i++) {
            int small = i == 0 ? 0 : random.nextInt(2 * bucket.most + 2);
            int large = i == 1 ? 1 : 1 + random.nextInt(bucket.most);
            bucket.assertExcess(bucket.filled(small, large, 10).excessButOne(capacity, rate));
        }
    }

    private int randomMost(double capacity) {
        return 1 + (int) (random.nextBoolean() ? capacity : 6 * capacity);
    }

    private int randomCapacity() {
        return 1 + random.nextInt(random.nextBoolean() ? 3 : 20);
    }

    private double randomRate() {
        return random.nextInt(3) == 0 ? 0.1 + 1000 * random.nextDouble() : 1 + random.nextInt(20);
    }

    /** A bucket of limiters with different maximum waits. */
    private final class RandomBucket {

        private final double rate;
        private final int most;
        private final List<TokenBucket> buckets = new ArrayList<>();
        private final Ledger ledger = new Ledger();
        private final StringBuilder story = new StringBuilder();

        /**
         * @param most of the permits of a request
         */
        RandomBucket(double rate, int most, boolean refunds, TokenBucket bucket) {
            this.rate = rate;
            this.most = most;
            for (int i = 0; i < 3; i++) {
                long maxWait = (long) (1e9 * (1 + random.nextDouble() * (i == 0 ? 20_000 : 20) * most) / rate);
                buckets.add(bucket.withMaxWait(
                        Duration.ofNanos(Math.min(maxWait, Duration.ofDays(900).toNanos()))));
            }
            use(refunds);
        }

        private void use(boolean refunds) {
            // How often time passes, and how many reservations are as large as can be.
            int pauses = random.nextInt(3);
            int large = random.nextInt(4);
            state = null;
            List<Reserved> reservations = new ArrayList<>();
            for (int i = 0; i < STEPS_PER_BUCKET; i++) {
                TokenBucket bucket = buckets.get(random.nextInt(3));
                int permits = random.nextInt(4) < large ? 1 + random.nextInt(most) : 1;
                switch (random.nextInt(10)) {
                    case 0, 1 ->
                        now += random.nextInt(2) >= pauses
                                ? 0
                                : (long) (random.nextDouble() * random.nextInt(20) * 1e6 / rate);
                    case 2, 3, 4 -> {
                        if (!reservations.isEmpty()) {
                            Reserved reserved = reservations.remove(
                                    random.nextBoolean()
                                            ? reservations.size() - 1
                                            : random.nextInt(reservations.size()));
                            tell(" cancel ", reserved.permits, reserved.decision);
                            cancel(bucket, reserved.permits, reserved.decision);
                            reserved.entry.cancel();
                        }
                    }
                    case 5 -> {
                        if (refunds) {
                            Step<RedisPermits> step = bucket.step(state, now, Request.refund(permits));
                            state = step.state();
                            ledger.refunded(permits);
                            tell(" refund ", permits, step.decision());
                        }
                    }
                    default -> {
                        long timeout = random.nextBoolean() ? 0 : (long) (random.nextDouble() * 40e6 * most / rate);
                        Step<RedisPermits> step = bucket.step(state, now, Request.take(permits, timeout));
                        state = step.state();
                        if (step.decision().granted()) {
                            Ledger.Entry entry =
                                    ledger.granted(now + step.decision().waitMicros(), permits);
                            reservations.add(new Reserved(permits, step.decision(), entry));
                            tell(" reserve ", permits, step.decision());
                        }
                    }
                }
                story.append("  ").append(state).append('\n');
            }
        }

        private void tell(String what, int permits, Decision decision) {
            story.append(now).append(what).append(permits);
            story.append(" ticket ").append(decision.ticketMicros()).append('\n');
        }

        /** The account, had one large request been reserved now between so many for one permit. */
        Ledger filled(int before, int large, int after) {
            Ledger filled = ledger.copy();
            RedisPermits end = state;
            for (int i = 0; i <= before + after; i++) {
                int permits = i == before ? large : 1;
                Step<RedisPermits> step = buckets.get(0).step(end, now, Request.take(permits, Long.MAX_VALUE));
                if (step.decision().granted()) {
                    filled.granted(now + step.decision().waitMicros(), permits);
                }
                end = step.state();
            }
            return filled;
        }

        void assertExcess(double excess) {
            assertThat(excess)
                    .as(() -> "beyond the limit of " + buckets.get(0) + ": " + ledger + "\n" + story + Seed.hint())
                    .isZero();
        }
    }

    private record Reserved(int permits, Decision decision, Ledger.Entry entry) {}

    private Decision reserve(TokenBucket bucket, int permits) {
        Step<RedisPermits> step = bucket.step(state, now, Request.take(permits, Long.MAX_VALUE));
        assertThat(step.decision().granted()).isTrue();
        state = step.state();
        return step.decision();
    }

    private Decision peek(TokenBucket bucket) {
        return bucket.step(state, now, Request.peek(1, Long.MAX_VALUE)).decision();
    }

    private long remaining(TokenBucket bucket) {
        return peek(bucket).remaining();
    }

    private void cancel(TokenBucket bucket, int permits, Decision reserved) {
        state = bucket.step(state, now, Request.cancel(permits, reserved)).state();
    }

    private static List<Integer> upTo(int end) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < end; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    private static List<Integer> reversed(List<Integer> numbers) {
        Collections.reverse(numbers);
        return numbers;
    }

    private List<Integer> shuffled(List<Integer> numbers) {
        Collections.shuffle(numbers, random);
        return numbers;
    }
}
