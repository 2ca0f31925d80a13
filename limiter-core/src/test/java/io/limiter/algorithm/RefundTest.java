package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Refunds of unused permits. */
class RefundTest {

    private static final long NOW = 1_763_650_000_000_000L;
    private static final TokenBucket TEN = TokenBucket.of(1, 10);
    private static final FixedWindow THREE = FixedWindow.of(3, Duration.ofMinutes(1));

    @Test
    void a_bucket_stores_refunded_permits() {
        Step<RedisPermits> taken = TEN.step(null, NOW, Request.take(10, 0));
        Step<RedisPermits> returned = TEN.step(taken.state(), NOW, Request.refund(4));
        assertThat(returned.decision()).isEqualTo(new Decision(true, 10, 4, 0, 0, 6_000_000));
        assertThat(TEN.step(returned.state(), NOW, Request.take(4, 0))
                        .decision()
                        .granted())
                .isTrue();
        assertThat(TEN.step(returned.state(), NOW, Request.take(5, 0))
                        .decision()
                        .granted())
                .isFalse();
    }

    @Test
    void a_refund_does_not_exceed_the_capacity() {
        Step<RedisPermits> taken = TEN.step(null, NOW, Request.take(3, 0));
        Step<RedisPermits> returned = TEN.step(taken.state(), NOW + 2_500_000, Request.refund(3));
        assertThat(returned.decision().remaining()).isEqualTo(10);
        assertThat(TEN.step(null, NOW, Request.refund(5)).decision().remaining())
                .isEqualTo(10);
    }

    @Test
    void a_refund_does_not_change_reservations() {
        Step<RedisPermits> reserved = TEN.step(null, NOW, Request.take(12, 2_000_000));
        Step<RedisPermits> returned = TEN.step(reserved.state(), NOW, Request.refund(2));
        assertThat(TEN.step(returned.state(), NOW, Request.take(1, 0))
                        .decision()
                        .waitMicros())
                .as("is stored")
                .isZero();
        assertThat(TEN.step(returned.state(), NOW, Request.take(3, 0))
                        .decision()
                        .waitMicros())
                .as("two are stored")
                .isEqualTo(3_000_000);
    }

    @Test
    void an_open_window_subtracts_refunded_permits() {
        Step<FixedWindow.State> taken = THREE.step(null, NOW, Request.take(3, 0));
        Step<FixedWindow.State> returned = THREE.step(taken.state(), NOW + 1, Request.refund(2));
        assertThat(returned.decision()).isEqualTo(new Decision(true, 3, 2, 0, 0, 59_999_999));
        Step<FixedWindow.State> all = THREE.step(returned.state(), NOW + 1, Request.refund(5));
        assertThat(all.decision().remaining()).isEqualTo(3);
    }

    @Test
    void an_ended_window_is_not_changed_by_a_refund() {
        Step<FixedWindow.State> taken = THREE.step(null, NOW, Request.take(3, 0));
        Step<FixedWindow.State> returned = THREE.step(taken.state(), NOW + 60_000_000, Request.refund(2));
        assertThat(returned.state()).isSameAs(taken.state());
        assertThat(returned.decision()).isEqualTo(new Decision(true, 3, 3, 0, 0, 0));
        assertThat(THREE.step(null, NOW, Request.refund(1)).state()).isNull();
    }
}
