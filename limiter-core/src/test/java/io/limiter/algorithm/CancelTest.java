package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Account.Reserved;
import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Cancelled reservations: what they restore, and that never more permits come due than the limit allows. */
class CancelTest {

    private static final int STEPS = 100_000;
    private static final int STEPS_PER_BUCKET = 60;

    private final Random random = Seed.random();

    @Test
    void repeated_cancellations_do_not_make_reservations_due_together() {
        Account account = new Account(TokenBucket.of(10, 1));
        account.reserve(10);
        List<Reserved> reserved = account.reserveEach(10, 20);
        for (int i = 0; i < 19; i++) {
            account.cancel(reserved.get(i));
            account.reserve(10);
        }
        assertThat(account.ledger().excess(10, 10)).isZero();
    }

    @Test
    void a_cancelled_queue_leaves_no_trace_in_any_order() {
        List<Integer> first = IntStream.range(0, 100).boxed().toList();
        List<Integer> last = new ArrayList<>(first);
        Collections.reverse(last);
        List<Integer> any = new ArrayList<>(first);
        Collections.shuffle(any, random);
        for (List<Integer> order : List.of(first, last, any)) {
            Account queue = new Account(LeakyBucket.queue(10, 100));
            queue.reserve(1);
            List<Reserved> waiting = queue.reserveEach(1, 100);
            assertThat(waiting.get(99).waitMicros()).isEqualTo(10_000_000);
            order.forEach(i -> queue.cancel(waiting.get(i)));
            assertThat(queue.reserve(1).waitMicros()).isBetween(0L, 100_000L);
            assertThat(queue.reserve(1).waitMicros()).isBetween(100_000L, 200_000L);
        }
    }

    /** Tickets are later than the next free one after earlier reservations were cancelled. */
    @Test
    void tickets_are_kept_until_they_are_due() {
        TokenBucket bucket = TokenBucket.of(10, 1).withExpire(Duration.ofMillis(1));
        Account account = new Account(bucket);
        account.reserve(10);
        Reserved large = account.reserve(2000);
        List<Reserved> small = account.reserveEach(10, 10);
        account.cancel(large);
        long keptUntil = account.now() + 1000 * bucket.lifetimeMillis(account.state(), account.now());
        account.pause(23_000_000);
        account.expire(keptUntil);
        account.reserve(10);
        List<Reserved> late = account.reserveEach(10, 190);
        small.forEach(account::cancel);
        late.subList(0, 180).forEach(account::cancel);
        account.reserveEach(10, 190);
        assertThat(account.ledger().excess(10, 10)).isZero();
    }

    @Test
    void the_end_of_a_queue_leaves_no_trace_if_the_last_is_cancelled_first() {
        Account queue = new Account(LeakyBucket.queue(10, 100));
        queue.reserve(1);
        List<Reserved> waiting = queue.reserveEach(1, 100);
        for (int i = 99; i >= 40; i--) {
            queue.cancel(waiting.get(i));
        }
        assertThat(queue.reserve(1).waitMicros()).isEqualTo(4_100_000);
    }

    @Test
    void a_bucket_that_was_full_holds_all_but_what_is_used_whatever_was_cancelled() {
        Account account = new Account(TokenBucket.of(1, 10));
        List<Reserved> taken = account.reserveEach(1, 6);
        account.cancel(taken.get(0));
        account.cancel(taken.get(1));
        account.cancel(taken.get(5));
        account.reserve(1);
        account.cancel(taken.get(2));
        assertThat(account.state().storedPermits()).isEqualTo(7);
    }

    @Test
    void a_large_reservation_delays_no_request_after_its_cancellation() {
        Account account = new Account(TokenBucket.of(1, 1));
        account.cancel(account.reserve(3000));
        assertThat(account.reserve(1).waitMicros()).isZero();
    }

    @Test
    void later_reservations_stay_and_are_not_restored() {
        Account account = new Account(TokenBucket.of(10, 1));
        account.reserve(10);
        Reserved first = account.reserve(10);
        assertThat(account.reserve(1).waitMicros()).isEqualTo(1_100_000);
        account.cancel(first);
        // Nine of ten intervals; one was reserved later.
        assertThat(account.reserve(1).waitMicros()).isEqualTo(300_000);
    }

    @Test
    void stored_permits_are_restored_as_stored_ones() {
        Account account = new Account(TokenBucket.perSecond(10).withCapacity(1000));
        account.reserve(500);
        Reserved taken = account.reserve(10);
        account.pause(1_000_000);
        account.reserve(1);
        assertThat(account.remaining()).isEqualTo(499);
        account.cancel(taken);
        assertThat(account.remaining()).isEqualTo(509);
    }

    @Test
    void some_permits_of_the_last_reservation_are_restored_as_if_fewer_had_been_reserved() {
        for (TokenBucket bucket : List.of(
                TokenBucket.of(10, 1),
                TokenBucket.of(10, 1).withWhoWaits(WhoWaits.NEXT_CALLER),
                TokenBucket.guava(10, Duration.ofSeconds(1)))) {
            Account account = new Account(bucket);
            account.reserve(1);
            Account fewer = account.copy();
            account.cancel(account.reserve(7), 5);
            fewer.reserve(2);
            assertThat(account.reserve(12).waitMicros())
                    .as(account::toString)
                    .isEqualTo(fewer.reserve(12).waitMicros());
            assertThat(account.peek().waitMicros())
                    .as(account::toString)
                    .isEqualTo(fewer.peek().waitMicros());
        }
    }

    /** Those that stay come due when all would have. */
    @Test
    void some_permits_of_a_reservation_that_waits_are_restored_as_far_as_the_capacity_has_room_beside_the_others() {
        Account last = new Account(TokenBucket.of(10, 1));
        last.reserve(10);
        last.cancel(last.reserve(8), 5);
        assertThat(last.reserve(1).waitMicros()).isEqualTo(400_000);
        Account earlier = new Account(TokenBucket.of(10, 1));
        earlier.reserve(10);
        Reserved first = earlier.reserve(8);
        earlier.reserve(4);
        earlier.cancel(first, 5);
        // Three of the five, beside the three that stay and the four.
        assertThat(earlier.reserve(1).waitMicros()).isEqualTo(1_000_000);
    }

    @Test
    void some_permits_that_were_stored_are_restored_beside_later_ones_as_if_fewer_had_been_reserved() {
        Account account = new Account(TokenBucket.of(1, 10));
        Reserved estimated = account.reserve(10);
        account.pause(5_000_000);
        account.reserve(5);
        account.cancel(estimated, 5);
        assertThat(account.remaining()).isEqualTo(5);
    }

    /** The capacity has room for the nine that were reserved later and for one more. */
    @Test
    void a_reservation_before_others_is_restored_as_far_as_the_capacity_has_room() {
        Account account = new Account(TokenBucket.of(10, 1));
        account.reserve(10);
        Reserved first = account.reserve(3);
        account.reserve(9);
        account.cancel(first);
        assertThat(account.reserve(1).waitMicros()).isEqualTo(1_200_000);
    }

    @Test
    void reservations_of_different_sizes_leave_no_trace_once_all_are_cancelled() {
        Account account = new Account(TokenBucket.of(10, 0.5));
        account.reserve(5);
        List<Reserved> reserved =
                IntStream.of(1, 2, 4, 3).mapToObj(account::reserve).toList();
        List.of(2, 0, 1, 3).forEach(i -> account.cancel(reserved.get(i)));
        assertThat(account.reserve(1).waitMicros()).isEqualTo(100_000);
    }

    /** Of any sizes and in any order: from an empty bucket, from stored permits, and while time passes. */
    @Test
    void random_reservations_leave_no_trace_once_all_are_cancelled() {
        for (int trial = 0; trial < 3000; trial++) {
            double rate = randomRate();
            TokenBucket bucket = TokenBucket.of(rate, randomCapacity() / rate)
                    .withWhoWaits(random.nextInt(3) == 0 ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                    .withMaxWait(Duration.ofDays(900));
            int capacity = (int) bucket.capacity();
            Account account = new Account(bucket);
            Reserved used = account.reserve(trial % 3 == 0 ? capacity : 1 + random.nextInt(capacity));
            Account without = account.copy();
            account.reservations().remove(used);
            long fullAt = Long.MAX_VALUE;
            for (int left = 2 + random.nextInt(10);
                    left > 0 || !account.reservations().isEmpty(); ) {
                if (left > 0 && random.nextInt(3) > 0) {
                    fullAt = Math.min(
                            fullAt,
                            account.reserve(1 + random.nextInt(2 * capacity)).fullAtMicros());
                    left--;
                } else if (!account.reservations().isEmpty()) {
                    account.cancel(oneOf(account.reservations()));
                }
                if (trial % 3 == 2 && !account.reservations().isEmpty()) {
                    account.pause((long) ((fullAt - account.now()) * random.nextDouble() * 0.3));
                }
            }
            without.pause(account.now() - without.now());
            long wait = account.reserve(10_000).waitMicros() + account.peek().waitMicros();
            long expected =
                    without.reserve(10_000).waitMicros() + without.peek().waitMicros();
            assertThat(wait).as(account::toString).isBetween(expected - 4, expected + 4);
        }
    }

    /** A whole request is due at once on top of them there. */
    @Test
    void with_next_caller_more_than_the_capacity_is_not_restored_before_later_reservations() {
        Account account = new Account(TokenBucket.of(10, 0.5).withWhoWaits(WhoWaits.NEXT_CALLER));
        account.reserve(5);
        Reserved first = account.reserve(20);
        Reserved second = account.reserve(2);
        Reserved third = account.reserve(5);
        Reserved last = account.reserve(1);
        account.cancel(first);
        assertThat(account.peek().waitMicros()).isEqualTo(2_800_000);
        account.cancel(second);
        account.cancel(last);
        account.cancel(third);
        assertThat(account.peek().waitMicros()).isZero();
    }

    @Test
    void with_next_caller_the_capacity_is_restored_minus_later_reservations() {
        Account account = new Account(TokenBucket.of(10, 0.5).withWhoWaits(WhoWaits.NEXT_CALLER));
        account.reserve(5);
        Reserved first = account.reserve(5);
        account.reserve(2);
        account.cancel(first);
        assertThat(account.peek().waitMicros()).isEqualTo(400_000);
    }

    @Test
    void a_warm_up_restores_a_reservation_once_all_after_it_are_cancelled() {
        Account warming = new Account(TokenBucket.guava(10, Duration.ofSeconds(1)));
        warming.reserve(20);
        Reserved first = warming.reserve(20);
        Reserved second = warming.reserve(1);
        long reserved = warming.peek().waitMicros();
        warming.cancel(first);
        assertThat(warming.peek().waitMicros()).isEqualTo(reserved);
        warming.cancel(second);
        assertThat(warming.peek().waitMicros()).isEqualTo(reserved - 2_100_000);
    }

    @Test
    void stored_permits_are_restored_minus_later_grants() {
        Account account = new Account(TokenBucket.of(10, 1));
        Reserved taken = account.reserve(10);
        account.pause(500_000);
        account.reserve(5);
        account.cancel(taken);
        assertThat(account.remaining()).isEqualTo(5);
        account.pause(10_000_000);
        assertThat(account.remaining()).isEqualTo(10);
    }

    @Test
    void a_cancellation_does_not_exceed_the_capacity() {
        Account account = new Account(TokenBucket.of(10, 1));
        Reserved taken = account.reserve(4);
        account.pause(300_000);
        account.cancel(taken);
        assertThat(account.remaining()).isEqualTo(10);
    }

    @Test
    void an_unknown_reservation_changes_nothing() {
        TokenBucket bucket = TokenBucket.of(10, 1);
        Account account = new Account(bucket);
        Request unknown = new Request(Request.Action.REFUND, 3, 0, account.now() + 1);
        assertThat(bucket.step(null, account.now(), unknown).state()).isNull();
        account.reserve(10);
        assertThat(bucket.step(account.state(), account.now(), unknown).state()).isSameAs(account.state());
    }

    @Test
    void a_cancellation_restores_a_cold_limiter() {
        Account cold = new Account(TokenBucket.guava(1, Duration.ofSeconds(10)));
        cold.reserve(1);
        RedisPermits before = cold.state();
        cold.cancel(cold.reserve(4));
        assertThat(cold.state().storedPermits()).isEqualTo(before.storedPermits());
        assertThat(cold.state().nextFreeTicketMillis()).isEqualTo(before.nextFreeTicketMillis());
    }

    /** Random reservations, cancellations, timeouts and maximum waits; refunds in every fourth bucket. */
    @Test
    void random_reservations_and_cancellations_never_exceed_the_limit() {
        for (int done = 0; done < STEPS; done += STEPS_PER_BUCKET) {
            int capacity = randomCapacity();
            double rate = randomRate();
            Account account = randomAccount(TokenBucket.of(rate, capacity / rate), capacity, hasRefunds(done));
            // The worst case: one large reservation, and then small ones up to its size.
            for (int first = 1; first <= capacity; first++) {
                assertNone(filled(account, 0, first, 2 * capacity).excess(capacity, rate), account);
            }
        }
    }

    /** With NEXT_CALLER, a request for more than the capacity comes due at once on top of the others. */
    @Test
    void random_reservations_and_cancellations_never_exceed_the_limit_with_next_caller() {
        for (int done = 0; done < STEPS; done += STEPS_PER_BUCKET) {
            double capacity = random.nextInt(4) == 0 ? 0.1 + random.nextDouble() : randomCapacity();
            double rate = randomRate();
            TokenBucket bucket = TokenBucket.perSecond(rate)
                    .withWhoWaits(WhoWaits.NEXT_CALLER)
                    .withCapacity(capacity);
            assertNoExcessButOne(bucket, capacity, randomMost(capacity), hasRefunds(done));
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
            TokenBucket bucket = TokenBucket.perSecond(rate).withWarmUp(warmUp);
            assertNoExcessButOne(bucket, 0, randomMost(warmUp.maxPermits(1e6 / rate)), false);
        }
    }

    private void assertNoExcessButOne(TokenBucket bucket, double capacity, int most, boolean refunds) {
        Account account = randomAccount(bucket, most, refunds);
        // Small ones up to what is reserved already, and then a large one.
        for (int i = 0; i < 4; i++) {
            int small = i == 0 ? 0 : random.nextInt(2 * most + 2);
            int large = i == 1 ? 1 : 1 + random.nextInt(most);
            Ledger ledger = filled(account, small, large, 10);
            assertNone(ledger.excessButOne(capacity, bucket.permitsPerSecond()), account);
        }
    }

    private static void assertNone(double excess, Account account) {
        assertThat(excess).as(account::toString).isZero();
    }

    /** The ledger, had one large request been reserved now between so many for one permit. */
    private static Ledger filled(Account account, int before, int large, int after) {
        Account filled = account.copy();
        for (int i = 0; i <= before + after; i++) {
            filled.take(i == before ? large : 1, Long.MAX_VALUE);
        }
        return filled.ledger();
    }

    private static boolean hasRefunds(int done) {
        return done % (4 * STEPS_PER_BUCKET) == 0;
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

    private <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /**
     * Requests under limits with different maximum waits.
     *
     * @param most permits of a request
     */
    private Account randomAccount(TokenBucket bucket, int most, boolean refunds) {
        double rate = bucket.permitsPerSecond();
        List<TokenBucket> limits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long maxWait = (long) (1e9 * (1 + random.nextDouble() * (i == 0 ? 20_000 : 20) * most) / rate);
            limits.add(bucket.withMaxWait(
                    Duration.ofNanos(Math.min(maxWait, Duration.ofDays(900).toNanos()))));
        }
        // How often time passes, and how many reservations are as large as can be.
        int pauses = random.nextInt(3);
        int large = random.nextInt(4);
        Account account = new Account(bucket);
        List<Reserved> reservations = account.reservations();
        for (int i = 0; i < STEPS_PER_BUCKET; i++) {
            account.limit(oneOf(limits));
            int permits = random.nextInt(4) < large ? 1 + random.nextInt(most) : 1;
            switch (random.nextInt(10)) {
                case 0, 1 -> {
                    if (random.nextInt(2) < pauses) {
                        account.pause((long) (random.nextDouble() * random.nextInt(20) * 1e6 / rate));
                    }
                }
                case 2, 3, 4 -> {
                    if (!reservations.isEmpty()) {
                        Reserved one =
                                random.nextBoolean() ? reservations.get(reservations.size() - 1) : oneOf(reservations);
                        account.cancel(one, random.nextBoolean() ? one.permits() : 1 + random.nextInt(one.permits()));
                    }
                }
                case 5 -> {
                    if (refunds) {
                        account.refund(permits);
                    }
                }
                default ->
                    account.take(permits, random.nextBoolean() ? 0 : (long) (random.nextDouble() * 40e6 * most / rate));
            }
        }
        account.limit(limits.get(0));
        return account;
    }
}
