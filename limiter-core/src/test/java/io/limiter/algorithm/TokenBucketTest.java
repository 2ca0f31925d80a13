package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static io.limiter.testing.Timeline.check;
import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static io.limiter.testing.TraceLine.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.Verdict;
import io.limiter.testing.Timeline;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {

    private static final double HOUR = 3600;

    @Test
    void the_caller_waits_for_its_own_permits() {
        check(
                TokenBucket.of(1.0 / 60, 60),
                at(0, 1, 0, "G"),
                at(0, 1, 0, "R 60.0"),
                at(30, 1, 0, "R 30.0"),
                at(60, 1, 0, "G"),
                at(61, 1, 0, "R 59.0"));
    }

    @Test
    void the_next_caller_waits_for_earlier_reservations() {
        check(
                TokenBucket.of(1.0 / 60, 60).withWhoWaits(WhoWaits.NEXT_CALLER),
                at(0, 1, 0, "G"),
                at(0, 1, 0, "G"),
                at(30, 1, 0, "R 30.0"),
                at(60, 1, 0, "G"),
                at(61, 1, 0, "R 59.0"));
    }

    @Test
    void acquires_in_a_row_wait_for_their_own_cost() {
        check(
                TokenBucket.of(1, 1),
                at(0, 1, HOUR, "G"),
                at(0, 2, HOUR, "G 2.0"),
                at(2, 3, HOUR, "G 3.0"),
                at(5, 4, HOUR, "G 4.0"),
                at(9, 5, HOUR, "G 5.0"));
    }

    @Test
    void acquires_all_at_once_come_due_one_after_the_other() {
        check(
                TokenBucket.of(1, 1),
                at(0, 1, HOUR, "G"),
                at(0, 2, HOUR, "G 2.0"),
                at(0, 3, HOUR, "G 5.0"),
                at(0, 4, HOUR, "G 9.0"),
                at(0, 5, HOUR, "G 14.0"));
    }

    @Test
    void acquires_in_a_row_wait_for_the_previous_one_with_next_caller() {
        check(
                TokenBucket.guava(1),
                at(0, 1, HOUR, "G"),
                at(0, 2, HOUR, "G 1.0"),
                at(1, 3, HOUR, "G 2.0"),
                at(3, 4, HOUR, "G 3.0"),
                at(6, 5, HOUR, "G 4.0"));
    }

    @Test
    void the_wait_includes_earlier_reservations() {
        check(
                TokenBucket.of(1, 10),
                at(0, 10, 0, "G"),
                at(0, 1, 1, "G 1.0"),
                at(0.4, 1, 1, "R 0.6"),
                at(0.4, 1, 1.6, "G 1.6"),
                at(0.4, 1, 1.6, "R 1.0"));
    }

    @Test
    void a_timeout_is_enough_when_it_is_exactly_the_wait() {
        check(TokenBucket.of(1, 1), at(0, 1, 0, "G"), at(0, 1, 0.75, "R 0.25"), at(0, 1, 1, "G 1.0"));
    }

    @Test
    void unused_permits_are_stored_up_to_the_burst() {
        check(
                TokenBucket.of(2, 5),
                at(0, 10, 0, "G"),
                at(2, 4, 0, "G"),
                at(2, 1, 0, "R 0.5"),
                at(1000, 10, 0, "G"),
                at(1000, 1, 0, "R 0.5"));
    }

    @Test
    void starts_empty_if_defined_so() {
        check(TokenBucket.guava(5), at(0, 1, 0, "G"), at(0, 1, 0, "R 0.2"), at(0.2, 1, 0, "G"));
    }

    @Test
    void more_than_the_capacity_is_never_granted_without_a_timeout() {
        check(
                TokenBucket.of(1, 10),
                at(0, 11, 0, "R never"),
                at(0, 11, 0.999999, "R never"),
                at(0, 11, 1, "G 1.0"),
                at(0, 11, 1, "R 11.0"),
                at(0, Integer.MAX_VALUE, 3600, "R never"));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 49, 93, 98, 103, 107, 161, 187, 196, 197, 1_000_003})
    void a_burst_that_misses_one_permit_by_a_rounding_error_holds_one(int seconds) {
        TokenBucket bucket = TokenBucket.of(1.0 / seconds, seconds);

        assertThat(bucket.capacity()).isOne();
        check(bucket, at(0, 1, 0, "G"), at(0, 1, 0, "R " + (double) seconds), at(seconds, 1, 0, "G"));
    }

    @Test
    void the_decision_has_remaining_permits_and_full_after() {
        Timeline<RedisPermits> bucket = new Timeline<>(TokenBucket.of(4, 2.5));
        long now = EPOCH_MICROS;

        assertThat(bucket.take(now, 1, 0)).isEqualTo(reserved(9, 0, 250_000, now - 2_250_000));
        assertThat(bucket.take(now + 100_000, 3, 0)).isEqualTo(reserved(6, 0, 900_000, now - 1_500_000));
        assertThat(bucket.take(now + 100_000, 7, 0)).isEqualTo(verdict(false, 10, 6, 150_000, 150_000, 900_000));
        assertThat(bucket.take(now + 100_000, 7, 150_000)).isEqualTo(reserved(0, 150_000, 2_650_000, now + 250_000));
        assertThat(bucket.take(now + 100_000, 1, 10)).isEqualTo(verdict(false, 10, 0, 400_000, 399_990, 2_650_000));
        assertThat(bucket.take(now + 100_000, 20, 0).retryAfterMicros()).isEqualTo(Verdict.NEVER_MICROS);
        assertThat(bucket.peek(now + 2_750_000, 10, 0)).isEqualTo(verdict(true, 10, 10, 0, 0, 0));
        assertThat(bucket.take(now + 2_750_000, 10, 0)).isEqualTo(reserved(0, 0, 2_500_000, now + 2_750_000));
    }

    private static Verdict reserved(long remaining, long wait, long reset, long ticket) {
        return verdict(true, 10, remaining, wait, 0, reset).withTicketMicros(ticket);
    }

    @Test
    void a_permit_reserves_parts_of_a_microsecond_exactly() {
        Timeline<RedisPermits> bucket = new Timeline<>(TokenBucket.of(3_000_000, 1.0 / 3_000_000));
        long now = EPOCH_MICROS;

        assertThat(bucket.take(now, 1, 0).waitMicros()).isZero();
        assertThat(bucket.take(now, 1, 10).waitMicros()).isEqualTo(1);
        assertThat(bucket.take(now, 1, 10).waitMicros()).isEqualTo(1);
        assertThat(bucket.take(now, 1, 10).waitMicros()).isEqualTo(1);
        assertThat(bucket.take(now, 1, 10).waitMicros()).isEqualTo(2);
    }

    @Test
    void no_reservation_is_further_ahead_than_max_wait() {
        check(
                TokenBucket.of(1, 1).withMaxWait(Duration.ofSeconds(3)),
                at(0, 5, 100, "R never"),
                at(0, 4, 100, "G 3.0"),
                at(0, 1, 100, "R 1.0"),
                at(1, 1, 100, "G 3.0"));
    }

    @Test
    void no_reservation_is_further_ahead_than_max_wait_with_next_caller() {
        check(
                TokenBucket.guava(1).withMaxWait(Duration.ofSeconds(3)),
                at(0, 5, 0, "R never"),
                at(0, 4, 0, "R 1.0"),
                at(0, 3, 0, "G"),
                at(0, 1, 2.5, "R 1.0"),
                at(1, 1, 1.5, "R 0.5"),
                at(1, 1, 2, "G 2.0"));
    }

    @Test
    void one_permit_can_be_reserved_even_if_it_takes_longer_than_max_wait() {
        check(
                TokenBucket.guava(0.1).withMaxWait(Duration.ofSeconds(3)),
                at(0, 1, 0, "G"),
                at(5, 1, 3, "R 5.0"),
                at(7, 1, 3, "R 3.0"),
                at(10, 1, 3, "G"));
    }

    @Test
    void a_cold_permit_can_be_reserved_even_if_it_takes_longer_than_max_wait() {
        check(
                TokenBucket.perSecond(1)
                        .withWarmUp(WarmUp.of(Duration.ofSeconds(100)).withColdFactor(8.0))
                        .withMaxWait(Duration.ofSeconds(5)),
                at(0, 1, 0, "G"),
                at(0, 2, 0, "R never"));
    }

    @Test
    void huge_requests_are_counted_in_full() {
        check(
                TokenBucket.of(1e9, 1).withMaxWait(Duration.ofDays(1000)),
                at(0, Integer.MAX_VALUE, 0, "R never"),
                at(0, Integer.MAX_VALUE, 2, "G 1.147484"),
                at(0, Integer.MAX_VALUE, 3, "R 0.294968"),
                at(0, Integer.MAX_VALUE, 4, "G 3.294968"));
    }

    @Test
    void the_slowest_rate_has_the_longest_wait() {
        check(
                TokenBucket.guava(TokenBucket.MIN_RATE),
                at(0, 1, 0, "G"),
                at(86_400_000 - 1, 1, 0, "R 1.0"),
                at(86_400_000, 2, 0, "R never"),
                at(86_400_000, 1, 0, "G"));
    }
}
