package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Account.Reserved;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cancelled reservations: what they restore. */
class CancelTest {

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
    void some_permits_of_a_reservation_that_waits_are_restored_as_far_as_the_capacity_has_room_next_to_the_others() {
        Account last = new Account(TokenBucket.of(10, 1));
        last.reserve(10);
        last.cancel(last.reserve(8), 5);
        assertThat(last.reserve(1).waitMicros()).isEqualTo(400_000);
        Account earlier = new Account(TokenBucket.of(10, 1));
        earlier.reserve(10);
        Reserved first = earlier.reserve(8);
        earlier.reserve(4);
        earlier.cancel(first, 5);
        // Three of the five, in addition to the three that stay and the four.
        assertThat(earlier.reserve(1).waitMicros()).isEqualTo(1_000_000);
    }

    @Test
    void some_permits_that_were_stored_are_restored_next_to_later_ones_as_if_fewer_had_been_reserved() {
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

    /** There, a whole request is due immediately in addition to them. */
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
        Request unknown = Request.of(Request.Action.REFUND, 3, 0, account.now() + 1);
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
}
