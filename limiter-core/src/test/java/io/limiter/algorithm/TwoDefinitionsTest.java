package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Account.Reserved;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.testing.Seed;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * While a changed limit is on its way to all instances, limiters with the old and the new definition take turns on one state.
 * They never grant more than the larger of both allows: the larger capacity, and the larger rate.
 */
class TwoDefinitionsTest {

    private static final int ROUNDS = 400;
    private static final int STEPS = 200;

    private final Random random = Seed.random();

    @Test
    void token_buckets_grant_no_more_than_the_larger_of_both() {
        for (int round = 0; round < ROUNDS; round++) {
            TokenBucket one = bucket();
            TokenBucket other = random.nextBoolean() ? one.withRate(rate()) : bucket();
            boolean inTurn = round % 2 == 0;
            Account account = new Account(one);
            for (int i = 0; i < STEPS; i++) {
                account.pause(random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 200_000));
                account.limit((inTurn ? i % 2 == 0 : random.nextBoolean()) ? one : other);
                account.take(1 + random.nextInt(3), 0);
            }
            assertNoExcess(account, one, other);
        }
    }

    /** Each reservation is cancelled under the definition that granted it. */
    @Test
    void token_buckets_with_cancellations_grant_no_more_than_the_larger_of_both() {
        for (int round = 0; round < ROUNDS; round++) {
            TokenBucket one = bucket();
            TokenBucket other = random.nextBoolean() ? one.withRate(rate()) : bucket();
            int most = (int) Math.max(one.maxPermits(), other.maxPermits());
            Account account = new Account(one);
            for (int i = 0; i < STEPS / 2; i++) {
                account.pause(random.nextInt(4) > 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 500_000));
                if (account.reservations().isEmpty() || random.nextInt(3) > 0) {
                    account.limit(random.nextBoolean() ? one : other);
                    account.take(
                            1 + random.nextInt(random.nextBoolean() ? 3 : most),
                            random.nextBoolean() ? 0 : random.nextInt(5_000_000));
                } else {
                    List<Reserved> reservations = account.reservations();
                    Reserved reserved = reservations.remove(random.nextInt(reservations.size()));
                    if (account.now() < reserved.fullAtMicros()) {
                        account.limit(reserved.limit());
                        account.cancel(reserved);
                    }
                }
            }
            assertNoExcess(account, one, other);
        }
    }

    /** A slow limit that is only asked does not make room for what a fast one has reserved. */
    @Test
    void queues_with_cancellations_under_the_slower_of_two_rates_have_one_permit_due_at_once() {
        for (int round = 0; round < ROUNDS; round++) {
            int capacity = 1 + random.nextInt(random.nextBoolean() ? 1 : 10);
            TokenBucket slow = TokenBucket.perSecond(1 + random.nextInt(10)).withCapacity(capacity);
            TokenBucket fast = slow.withRate(slow.permitsPerSecond() * (2 + random.nextInt(99)));
            Account account = new Account(slow);
            for (int i = 0; i < STEPS / 2; i++) {
                account.pause(random.nextInt(8) > 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 500_000));
                account.limit(random.nextInt(3) > 0 ? fast : slow);
                List<Reserved> reservations = account.reservations();
                switch (random.nextInt(4)) {
                    case 0 -> account.take(capacity + 1, 0);
                    case 1 -> {
                        if (!reservations.isEmpty()) {
                            Reserved reserved = reservations.get(random.nextInt(reservations.size()));
                            if (account.now() < reserved.fullAtMicros()) {
                                account.limit(reserved.limit());
                                account.cancel(reserved);
                            }
                        }
                    }
                    default -> account.take(1 + random.nextInt(capacity), 10_000_000);
                }
            }
            assertNoExcess(account, slow, fast);
        }
    }

    @Test
    void a_cancelled_place_in_a_slow_queue_is_room_for_what_a_fast_one_reserves_in_that_time() {
        TokenBucket slow = LeakyBucket.queue(10, 100);
        TokenBucket fast = LeakyBucket.queue(40, 400);
        Account account = new Account(slow);
        account.reserve(1);
        Reserved waiting = account.reserve(1);
        account.limit(fast);
        account.reserveEach(1, 3);
        account.limit(slow);
        assertThat(account.take(2, 0)).as("asks, and is rejected").isNull();
        account.cancel(waiting);
        account.limit(fast);
        account.reserveEach(1, 12);
        assertNoExcess(account, slow, fast);
    }

    private static void assertNoExcess(Account account, TokenBucket one, TokenBucket other) {
        assertThat(account.ledger().excess(List.of(one, other)))
                .as(() -> one + " and " + other + ", " + account)
                .isZero();
    }

    @Test
    void a_cancellation_keeps_stored_permits_after_a_changed_rate() {
        TokenBucket fast = TokenBucket.perSecond(10).withCapacity(10);
        TokenBucket slow = fast.withRate(1);
        Account account = new Account(slow);
        Reserved taken = account.reserve(1);
        account.pause(100_000_000);
        account.limit(fast);
        account.reserve(1);
        assertThat(account.remaining()).isEqualTo(9);
        account.limit(slow);
        account.cancel(taken);
        account.limit(fast);
        assertThat(account.remaining()).isEqualTo(9);
        // Twice as fast, the same capacity: permits, not times, are kept.
        account.limit(fast.withRate(20));
        assertThat(account.remaining()).isEqualTo(9);
    }

    /** A visit by the other definition between a reservation and its cancellation keeps no permit. */
    @Test
    void all_permits_are_returned_after_a_visit() {
        for (int round = 0; round < 10 * ROUNDS; round++) {
            int limit = 1 + random.nextInt(100);
            int otherLimit = 1 + random.nextInt(100);
            Duration period = period();
            Duration otherPeriod = random.nextBoolean() ? period : period();
            checkReturned(FixedWindow.of(limit, period), FixedWindow.of(otherLimit, otherPeriod));
            checkReturned(SlidingLog.of(limit, period), SlidingLog.of(otherLimit, otherPeriod));
            checkReturned(SlidingCounter.of(limit, period), SlidingCounter.of(otherLimit, otherPeriod));
            TokenBucket bucket = TokenBucket.perSecond(rate()).withCapacity(limit);
            checkReturned(bucket, TokenBucket.perSecond(rate()).withCapacity(otherLimit));
            checkReturned(bucket, bucket.withRate(rate()));
        }
    }

    /** Whatever other definitions reject, a bucket decides as if they had not been asked. */
    @Test
    void a_rejection_under_another_definition_changes_nothing_for_this_one() {
        for (int round = 0; round < ROUNDS; round++) {
            TokenBucket one = bucket();
            List<TokenBucket> others = List.of(one.withRate(rate()), bucket());
            Account visited = new Account(one);
            Account alone = new Account(one);
            for (int i = 0; i < STEPS / 2; i++) {
                long pause = random.nextInt(3) > 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 500_000);
                visited.pause(pause);
                alone.pause(pause);
                if (random.nextInt(3) == 0) {
                    visited.limit(others.get(random.nextInt(2)));
                    assertThat(visited.take(1000, 0)).isNull();
                    visited.limit(one);
                } else if (random.nextInt(3) == 0 && !alone.reservations().isEmpty()) {
                    int which = random.nextInt(alone.reservations().size());
                    visited.cancel(visited.reservations().get(which));
                    alone.cancel(alone.reservations().get(which));
                } else {
                    int permits = 1 + random.nextInt(random.nextBoolean() ? 3 : 50);
                    long timeout = random.nextBoolean() ? 0 : random.nextInt(5_000_000);
                    visited.take(permits, timeout);
                    alone.take(permits, timeout);
                }
                assertThat(visited.peek())
                        .as(() -> visited + "\nalone " + alone)
                        .isEqualTo(alone.peek());
            }
        }
    }

    @Test
    void an_instance_that_prefetches_nothing_under_another_definition_changes_nothing_either() {
        TokenBucket one = TokenBucket.perSecond(5).withCapacity(60);
        TokenBucket other = TokenBucket.perSecond(77).withCapacity(60);
        long now = TraceLine.EPOCH_MICROS;
        Step<RedisPermits> reserved = one.step(null, now, Request.take(60, 0));
        Step<RedisPermits> prefetched = other.step(reserved.state(), now, Request.prefetch(10, 100_000, 200));
        assertThat(prefetched.verdict().isGranted()).isFalse();
        Request cancel = one.cancelSome(60, 60, reserved.verdict());
        RedisPermits after = one.step(prefetched.state(), now, cancel).state();
        assertThat(one.step(after, now, Request.peek(1, 0)).verdict().remaining())
                .isEqualTo(60);
    }

    /** Otherwise a limit of one permit a day that becomes one of a hundred a second would stay one of a day until the next grant. */
    @Test
    void a_higher_rate_takes_effect_although_its_first_requests_are_rejected() {
        TokenBucket slow = TokenBucket.perSecond(1e-5).withCapacity(10);
        Account account = new Account(slow);
        account.reserve(10);
        account.limit(slow.withRate(10));
        assertThat(account.take(5, 0)).isNull();
        account.pause(250_000);
        assertThat(account.take(5, 0)).isNull();
        account.limit(slow.withRate(20));
        assertThat(account.take(9, 0)).as("as yet another definition").isNull();
        account.pause(250_000);
        account.limit(slow.withRate(10));
        assertThat(account.take(5, 0)).isNotNull();
        assertThat(account.take(1, 0)).isNull();
    }

    private <S> void checkReturned(LimitStep<S> one, LimitStep<S> other) {
        long now = TraceLine.EPOCH_MICROS + random.nextInt(100_000_000);
        int permits = 1 + random.nextInt((int) one.capacity());
        Step<S> reserved = one.step(null, now, Request.take(permits, 0));
        S state = reserved.state();
        for (int i = random.nextInt(3); i >= 0; i--) {
            state = other.step(state, now, Request.take((int) other.capacity() + 1, 0))
                    .state();
        }
        state = one.step(state, now, one.cancelSome(permits, permits, reserved.verdict()))
                .state();
        assertThat(one.step(state, now, Request.peek(1, 0)).verdict().remaining())
                .as("%s%d of %s, and a visit by %s", Seed.hint(), permits, one, other)
                .isEqualTo(one.capacity());
    }

    private TokenBucket bucket() {
        TokenBucket bucket = TokenBucket.perSecond(rate());
        return random.nextBoolean()
                ? bucket.withCapacity(1 + random.nextInt(50))
                : bucket.withRateAndBurst(bucket.permitsPerSecond(), Duration.ofMillis(1000 + random.nextInt(3000)));
    }

    private double rate() {
        return Math.pow(10, 2 * random.nextDouble());
    }

    @Test
    void sliding_logs_grant_no_more_than_the_larger_of_both() {
        for (int round = 0; round < ROUNDS; round++) {
            SlidingLog one = SlidingLog.of(limit(), period());
            SlidingLog other = SlidingLog.of(limit(), random.nextBoolean() ? one.period() : period());
            check(one, one.period(), other, other.period(), 1);
        }
    }

    @Test
    void fixed_windows_grant_no_more_than_twice_the_larger_of_both() {
        for (int round = 0; round < ROUNDS; round++) {
            FixedWindow one = FixedWindow.of(limit(), period());
            FixedWindow other = FixedWindow.of(limit(), random.nextBoolean() ? one.period() : period());
            // A window ends and the next one begins.
            check(one, one.period(), other, other.period(), 2);
        }
    }

    @Test
    void sliding_counters_grant_no_more_than_twice_the_larger_of_both() {
        for (int round = 0; round < ROUNDS; round++) {
            SlidingCounter one = SlidingCounter.of(limit(), period());
            SlidingCounter other = SlidingCounter.of(limit(), random.nextBoolean() ? one.period() : period());
            // It estimates.
            check(one, one.period(), other, other.period(), 2);
        }
    }

    private int limit() {
        return 1 + random.nextInt(30);
    }

    private Duration period() {
        return Duration.ofMillis(100 + random.nextInt(1900));
    }

    private record Grant(long micros, long permits) {}

    /** In no interval shorter than both periods more than so many times the larger limit are granted. */
    private <S> void check(LimitStep<S> one, Duration period, LimitStep<S> other, Duration otherPeriod, int times) {
        long most = times * Math.max(one.capacity(), other.capacity());
        long shorter = Math.min(Ranges.micros(period), Ranges.micros(otherPeriod));
        boolean inTurn = random.nextBoolean();
        List<Grant> grants = new ArrayList<>();
        long now = TraceLine.EPOCH_MICROS;
        S state = null;
        for (int i = 0; i < STEPS; i++) {
            now += random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 1000 : 200_000);
            LimitStep<S> limit = (inTurn ? i % 2 == 0 : random.nextBoolean()) ? one : other;
            long permits = 1 + random.nextInt(3);
            Step<S> step = limit.step(state, now, Request.take(permits, 0));
            state = step.state();
            if (step.verdict().isGranted()) {
                grants.add(new Grant(now, permits));
            }
            long from = now - shorter;
            grants.removeIf(grant -> grant.micros <= from);
            assertThat(grants.stream().mapToLong(Grant::permits).sum())
                    .as("%s%s and %s: %s", Seed.hint(), one, other, grants)
                    .isLessThanOrEqualTo(most);
        }
    }
}
