package io.limiter.algorithm;

import static io.limiter.testing.Timeline.check;
import static io.limiter.testing.TraceLine.EPOCH_MICROS;
import static io.limiter.testing.TraceLine.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bucket when its definition changes, or when the clock steps back. */
class TokenBucketChangeTest {

    private static final TokenBucket SLOW = TokenBucket.of(1, 10);
    private static final TokenBucket FAST = SLOW.withRate(2);

    @Test
    void elapsed_time_is_settled_at_the_old_rate_and_then_rescaled() {
        Timeline<RedisPermits> bucket = new Timeline<>(SLOW);
        check(bucket, at(0, 10, 0, "G"));

        bucket.limit(FAST);

        check(bucket, at(5, 10, 0, "G"), at(5, 1, 0, "R 0.5"), at(15, 20, 0, "G"));
    }

    @Test
    void a_smaller_bucket_keeps_stored_permits_up_to_its_capacity() {
        Timeline<RedisPermits> bucket = new Timeline<>(FAST);
        check(bucket, at(0, 12, 0, "G"));

        bucket.limit(SLOW);

        check(bucket, at(1, 5, 0, "G"), at(1, 1, 0, "R 1.0"));
    }

    @Test
    void a_larger_burst_keeps_stored_permits_and_adds_none() {
        Timeline<RedisPermits> bucket = new Timeline<>(SLOW);
        check(bucket, at(0, 5, 0, "G"));

        bucket.limit(TokenBucket.of(1, 100));

        check(bucket, at(0, 6, 0, "R 1.0"), at(0, 5, 0, "G"));
    }

    @Test
    void stored_permits_do_not_grow_at_a_higher_rate_of_the_same_capacity() {
        Timeline<RedisPermits> bucket = new Timeline<>(SLOW);
        check(bucket, at(0, 10, 0, "G"));

        bucket.limit(TokenBucket.of(10, 1));

        check(bucket, at(0.4, 5, 0, "R 0.46"), at(0.4, 4, 0, "R 0.36"), at(0.4, 1, 0, "R 0.06"));
        check(bucket, at(4, 10, 0, "G"), at(4, 1, 0, "R 0.1"));
    }

    @Test
    void a_rejection_under_a_new_rate_saves_since_when_it_applies() {
        Timeline<RedisPermits> bucket = new Timeline<>(SLOW);
        check(bucket, at(0, 10, 0, "G"));

        bucket.limit(FAST);
        check(bucket, at(5, 11, 0, "R 0.5"));

        assertThat(bucket.state())
                .isEqualTo(new RedisPermits(10, 0, 1000, EPOCH_MICROS / 1000.0, 0)
                        .withOtherSince(EPOCH_MICROS + 5_000_000));
        check(bucket, at(5.5, 11, 0, "G"));
        assertThat(bucket.state()).isEqualTo(new RedisPermits(20, 0, 500, (EPOCH_MICROS + 5_500_000) / 1000.0, 0));
    }

    @Test
    void a_rejection_under_a_new_rate_is_saved_only_once() {
        Timeline<RedisPermits> bucket = new Timeline<>(SLOW);
        check(bucket, at(0, 10, 0, "G"));
        bucket.limit(FAST);
        check(bucket, at(5, 11, 0, "R 0.5"));
        RedisPermits saved = bucket.state();

        check(bucket, at(5.25, 11, 0, "R 0.25"));

        assertThat(bucket.state()).isSameAs(saved);
    }

    @ParameterizedTest
    @EnumSource(WhoWaits.class)
    void a_debt_is_kept_over_a_change_of_rate(WhoWaits whoWaits) {
        TokenBucket first = TokenBucket.of(1, 1).withWhoWaits(whoWaits);
        Timeline<RedisPermits> bucket = new Timeline<>(first);
        check(bucket, at(0, 1, 0, "G"));
        bucket.take(EPOCH_MICROS, 10, 10_000_000);
        double reserved = bucket.state().nextFreeTicketMillis();

        bucket.limit(first.withRate(4));
        assertThat(bucket.take(EPOCH_MICROS + 1_000_000, 1, 0).isGranted()).isFalse();

        assertThat(bucket.state().nextFreeTicketMillis()).isEqualTo(reserved);
        assertThat(bucket.take(EPOCH_MICROS + 1_000_000, 1, 3_600_000_000L).waitMicros())
                .isEqualTo(whoWaits == WhoWaits.CALLER ? 9_250_000 : 9_000_000);
    }

    @Test
    void a_remainder_is_kept_over_a_change_of_rate() {
        Timeline<RedisPermits> bucket = new Timeline<>(TokenBucket.guava(1_500_000));
        bucket.take(EPOCH_MICROS, 1, 0);
        double remainder = bucket.state().remainderMicros();

        bucket.limit(TokenBucket.guava(1_000_000));
        bucket.take(EPOCH_MICROS, 1, 10);

        assertThat(remainder).isCloseTo(2.0 / 3, within(1e-12));
        assertThat(bucket.state().remainderMicros()).isCloseTo(2.0 / 3, within(1e-12));
        assertThat(bucket.state().nextFreeMicros()).isEqualTo(EPOCH_MICROS + 1);
    }

    @Test
    void a_warm_bucket_stays_warm_and_a_cold_one_cold() {
        TokenBucket slow = TokenBucket.guava(1, Duration.ofSeconds(8));
        Timeline<RedisPermits> bucket = new Timeline<>(slow);
        bucket.take(EPOCH_MICROS, 2, 0);

        bucket.limit(slow.withRate(10));
        bucket.take(EPOCH_MICROS, 20, 3_600_000_000L);

        assertThat(bucket.state().maxPermits()).isCloseTo(80, within(1e-9));
        assertThat(bucket.state().storedPermits()).isCloseTo(60 - 20, within(1e-9));
    }

    @Test
    void a_clock_that_steps_back_stops_the_bucket_and_keeps_stored_permits() {
        check(
                new Timeline<>(SLOW),
                at(100, 8, 0, "G"),
                at(90, 1, 0, "G"),
                at(99, 1, 0, "G"),
                at(99, 1, 0, "R 2.0"),
                at(100, 1, 0, "R 1.0"),
                at(50, 1, 50, "R 1.0"),
                at(101, 1, 0, "G"),
                at(101, 1, 0, "R 1.0"));
    }

    @Test
    void stored_permits_stay_until_the_clock_has_caught_up() {
        Timeline<RedisPermits> bucket = new Timeline<>(SLOW);
        check(bucket, at(100, 8, 0, "G"));

        assertThat(bucket.peek(EPOCH_MICROS + 99_999_999, 1, 0).remaining()).isEqualTo(2);
        assertThat(bucket.peek(EPOCH_MICROS + 100_000_000, 1, 0).remaining()).isEqualTo(2);
    }

    @Test
    void a_clock_that_steps_back_far_stops_the_bucket_for_an_hour() {
        Timeline<RedisPermits> bucket = new Timeline<>(TokenBucket.of(1, 1).withMaxWait(Duration.ofSeconds(60)));
        check(bucket, at(10_000, 1, 0, "G"), at(0, 1, 0, "R 3601.0"));

        assertThat(bucket.state()).isEqualTo(new RedisPermits(1, 0, 1000, (EPOCH_MICROS + 3_600_000_000L) / 1000.0, 0));
        check(bucket, at(30, 1, 0, "R 3571.0"), at(3601, 1, 0, "G"));
    }

    @Test
    void a_reservation_of_more_than_an_hour_is_not_taken_for_a_clock_step() {
        TokenBucket patient = TokenBucket.of(1, 1).withMaxWait(Duration.ofHours(3));
        Timeline<RedisPermits> bucket = new Timeline<>(patient);
        check(bucket, at(10_000, 7201, 7200, "G 7200.0"));
        RedisPermits reserved = bucket.state();

        check(bucket, at(10_000 - 3600, 1, 0, "R 10801.0"));
        assertThat(bucket.state()).isSameAs(reserved);
        check(bucket, at(10_000 - 3601, 1, 0, "R 7201.0"));
        assertThat(bucket.state()).isNotSameAs(reserved);
        check(bucket, at(20_000, 1, 0, "G"));
        assertThat(bucket.state().reservations()).isNull();
    }

    @Test
    void a_cut_reservation_loses_its_remainder() {
        RedisPermits reserved = new RedisPermits(1, 0, 1, 5, 0.5);

        assertThat(reserved.boundReservation(0, 4999)).isEqualTo(new RedisPermits(1, 0, 1, 4.999, 0));
        assertThat(reserved.boundReservation(0, 5000)).isSameAs(reserved);
    }

    @Test
    void a_shorter_max_wait_keeps_earlier_reservations() {
        TokenBucket patient = TokenBucket.of(1, 1);
        Timeline<RedisPermits> bucket = new Timeline<>(patient);
        check(bucket, at(0, 101, 3600, "G 100.0"));

        bucket.limit(patient.withMaxWait(Duration.ofSeconds(10)));

        RedisPermits reserved = bucket.state();
        check(bucket, at(0, 1, 10, "R 91.0"), at(1, 1, 10, "R 90.0"));
        assertThat(bucket.state()).isSameAs(reserved);
        bucket.charge(EPOCH_MICROS, 1000);
        assertThat(bucket.state().nextFreeTicketMillis()).isEqualTo(reserved.nextFreeTicketMillis());
    }

    @Test
    void a_jumping_clock_creates_no_permits() {
        Random random = Seed.random();
        for (int i = 0; i < 2000; i++) {
            double rate = 0.1 + 10 * random.nextDouble();
            TokenBucket limit = TokenBucket.of(rate, 1 / rate + 10 * random.nextDouble());
            Timeline<RedisPermits> bucket = new Timeline<>(limit);
            long now = EPOCH_MICROS;
            long latest = now;
            double taken = bucket.take(now, 1, 0).isGranted() ? 1 : 0;
            for (int j = 0; j < 100; j++) {
                now = latest - (random.nextInt(3) == 0 ? random.nextLong(1_000_000_000) : -random.nextLong(3_000_000));
                latest = Math.max(latest, now);
                long permits = 1 + random.nextInt((int) limit.capacity());
                taken += bucket.take(now, permits, 0).isGranted() ? permits : 0;

                assertThat(taken)
                        .as(() -> Seed.hint() + limit)
                        .isLessThanOrEqualTo(limit.maxPermits() + rate * (latest - EPOCH_MICROS) / 1e6 + 1e-6);
            }
        }
    }

    @Test
    void a_clock_that_steps_back_and_forth_creates_no_permits() {
        for (long step : List.of(1L, 60L, 3600L)) {
            TokenBucket limit = TokenBucket.of(10, 1);
            Timeline<RedisPermits> bucket = new Timeline<>(limit);
            long taken = 0;
            for (int i = 0; i < 200; i++) {
                long now = EPOCH_MICROS - (i % 2) * step * 1_000_000;
                taken += bucket.take(now, 1, 0).isGranted() ? 1 : 0;
                taken += bucket.take(now, 3, i % 3 * 200_000).isGranted() ? 3 : 0;
            }
            assertThat(taken).as(step + " s").isBetween(10L, 14L);
        }
    }
}
