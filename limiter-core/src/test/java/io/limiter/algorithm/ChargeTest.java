package io.limiter.algorithm;

import static io.limiter.testing.Tickets.withTicket;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Charges: permits that were used before the request. */
class ChargeTest {

    private static final long NOW = 1_763_650_000_000_000L;
    private static final TokenBucket TEN = TokenBucket.of(1, 10);
    private static final FixedWindow THREE = FixedWindow.of(3, Duration.ofMinutes(1));

    @Test
    void a_charge_uses_stored_permits_and_then_reserves() {
        Step<RedisPermits> some = TEN.step(null, NOW, Request.charge(4));
        assertThat(some.decision()).isEqualTo(new Decision(true, 10, 6, 0, 0, 4_000_000));
        Step<RedisPermits> more = TEN.step(some.state(), NOW, Request.charge(9));
        assertThat(more.decision()).isEqualTo(new Decision(true, 10, 0, 0, 0, 13_000_000));
        assertThat(TEN.step(more.state(), NOW, Request.take(1, 0)).decision().retryAfterMicros())
                .isEqualTo(4_000_000);
    }

    @Test
    void debt_is_bounded_like_reservations() {
        Step<RedisPermits> charged = TEN.step(null, NOW, Request.charge(Integer.MAX_VALUE));
        assertThat(charged.state().reservedMicros(NOW)).isEqualTo(3_600_000_000.0);
    }

    @Test
    void a_window_counts_beyond_its_limit() {
        Step<FixedWindow.State> charged = THREE.step(null, NOW, Request.charge(5));
        assertThat(charged.decision())
                .isEqualTo(withTicket(new Decision(true, 3, 0, 0, 0, 60_000_000), NOW + 60_000_000));
        assertThat(THREE.step(charged.state(), NOW, Request.take(1, 0)).decision())
                .isEqualTo(new Decision(false, 3, 0, 60_000_000, 60_000_000, 60_000_000));
        Step<FixedWindow.State> returned = THREE.step(charged.state(), NOW, Request.refund(4));
        assertThat(returned.decision().remaining()).isEqualTo(2);
    }
}
