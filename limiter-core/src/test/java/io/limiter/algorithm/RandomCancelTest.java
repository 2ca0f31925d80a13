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

/** Random reservations and cancellations: never more permits come due than the limit allows, and nothing is lost. */
class RandomCancelTest {

    private static final int STEPS = 100_000;
    private static final int STEPS_PER_BUCKET = 60;

    private final Random random = Seed.random();

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

    /** With NEXT_CALLER, a request for more than the capacity comes due immediately, in addition to the others. */
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
            WarmUp warmUp = WarmUp.of(Duration.ofNanos((long) ((0.5 + 30 * random.nextDouble()) * 1e9 / rate)))
                    .withColdFactor(1.01 + 10 * random.nextDouble());
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
            long permits = random.nextInt(4) < large ? 1 + random.nextInt(most) : 1;
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
                        account.cancel(one, random.nextBoolean() ? one.permits() : 1 + random.nextLong(one.permits()));
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
