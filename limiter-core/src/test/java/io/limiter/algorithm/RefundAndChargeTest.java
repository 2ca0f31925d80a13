package io.limiter.algorithm;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Timeline;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Refunds of permits that were not used, and charges for permits that were used before the request. */
class RefundAndChargeTest {

    private static final long NOW = TraceLine.EPOCH_MICROS;

    private final Timeline<RedisPermits> bucket = new Timeline<>(TokenBucket.of(1, 10));
    private final Timeline<FixedWindow.State> window = new Timeline<>(FixedWindow.of(3, Duration.ofMinutes(1)));

    @Test
    void a_bucket_stores_refunded_permits() {
        bucket.take(NOW, 10, 0);
        assertThat(bucket.refund(NOW, 4)).isEqualTo(verdict(true, 10, 4, 0, 0, 6_000_000));
        assertThat(bucket.peek(NOW, 4, 0).isGranted()).isTrue();
        assertThat(bucket.peek(NOW, 5, 0).isGranted()).isFalse();
    }

    @Test
    void a_refund_does_not_exceed_the_capacity() {
        assertThat(bucket.refund(NOW, 5).remaining()).as("of an unused bucket").isEqualTo(10);
        bucket.take(NOW, 3, 0);
        assertThat(bucket.refund(NOW + 2_500_000, 3).remaining()).isEqualTo(10);
    }

    @Test
    void a_refund_does_not_change_reservations() {
        bucket.take(NOW, 12, 2_000_000);
        bucket.refund(NOW, 2);
        assertThat(bucket.peek(NOW, 1, 0).waitMicros()).as("is stored").isZero();
        assertThat(bucket.peek(NOW, 3, 0).waitMicros()).as("two are stored").isEqualTo(3_000_000);
    }

    @Test
    void a_refund_to_an_unused_bucket_that_starts_empty_adds_nothing() {
        bucket.limit(TokenBucket.of(1, 10).withStartsFull(false));
        assertThat(bucket.refund(NOW, 5).remaining()).isZero();
        assertThat(bucket.state()).isNull();
    }

    @Test
    void a_refund_does_not_make_a_warm_up_colder() {
        Timeline<RedisPermits> warming = new Timeline<>(TokenBucket.guava(1, Duration.ofSeconds(10)));
        long now = NOW;
        for (int i = 0; i < 10; i++) {
            now += warming.take(now, 1, Long.MAX_VALUE).waitMicros();
        }
        long wait = warming.peek(now, 1, Long.MAX_VALUE).waitMicros();
        warming.refund(now, 100);
        assertThat(warming.peek(now, 1, Long.MAX_VALUE).waitMicros()).isEqualTo(wait);
        double stored = warming.state().storedPermits();
        warming.take(now, 1, Long.MAX_VALUE);
        assertThat(warming.state().storedPermits()).isLessThanOrEqualTo(stored);
    }

    @Test
    void an_open_window_subtracts_refunded_permits() {
        window.take(NOW, 3, 0);
        assertThat(window.refund(NOW + 1, 2))
                .isEqualTo(verdict(true, 3, 2, 0, 0, 59_999_999).withPeriodEndMicros(NOW + 60_000_000));
        assertThat(window.refund(NOW + 1, 5).remaining()).isEqualTo(3);
    }

    @Test
    void an_ended_window_is_not_changed_by_a_refund() {
        window.refund(NOW, 1);
        assertThat(window.state()).isNull();
        window.take(NOW, 3, 0);
        FixedWindow.State taken = window.state();
        assertThat(window.refund(NOW + 60_000_000, 2)).isEqualTo(verdict(true, 3, 3, 0, 0, 0));
        assertThat(window.state()).isSameAs(taken);
    }

    @Test
    void a_charge_uses_stored_permits_and_then_reserves() {
        assertThat(bucket.charge(NOW, 4)).isEqualTo(verdict(true, 10, 6, 0, 0, 4_000_000));
        assertThat(bucket.charge(NOW, 9)).isEqualTo(verdict(true, 10, 0, 0, 0, 13_000_000));
        assertThat(bucket.peek(NOW, 1, 0).retryAfterMicros()).isEqualTo(4_000_000);
    }

    @Test
    void charges_reserve_no_further_ahead_than_max_wait() {
        bucket.charge(NOW, Integer.MAX_VALUE);
        assertThat(bucket.state().reservedMicros(NOW)).isEqualTo(3_600_000_000.0);
    }

    @Test
    void a_window_is_charged_above_its_limit() {
        assertThat(window.charge(NOW, 5))
                .isEqualTo(verdict(true, 3, 0, 0, 0, 60_000_000)
                        .withTicketMicros(NOW + 1)
                        .withPeriodEndMicros(NOW + 60_000_000));
        assertThat(window.peek(NOW, 1, 0))
                .isEqualTo(
                        verdict(false, 3, 0, 60_000_000, 60_000_000, 60_000_000).withPeriodEndMicros(NOW + 60_000_000));
        assertThat(window.refund(NOW, 4).remaining()).isEqualTo(2);
    }
}
