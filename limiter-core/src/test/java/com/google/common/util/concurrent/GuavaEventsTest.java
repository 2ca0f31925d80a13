package com.google.common.util.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to callers, second by second: the same with Guava's limiter and with ours. */
class GuavaEventsTest {

    private final Lockstep five = Lockstep.burstyToTheMicrosecond(5);

    @Test
    void acquire() {
        five.acquire(1, 1, 1);
        assertThat(five.events()).isEqualTo("R0.00, R0.20, R0.20");
    }

    @Test
    void acquire_after_a_short_pause() {
        five.acquire(1);
        five.sleep(0.2);
        five.acquire(1, 1);
        assertThat(five.events()).isEqualTo("R0.00, U0.20, R0.00, R0.20");
    }

    @Test
    void acquire_after_a_longer_pause() {
        five.acquire(1);
        five.sleep(0.4);
        five.acquire(1, 1, 1);
        assertThat(five.events()).isEqualTo("R0.00, U0.40, R0.00, R0.00, R0.20");
    }

    @Test
    void acquire_many_permits() {
        five.acquire(1, 1, 3, 1, 1);
        assertThat(five.events()).isEqualTo("R0.00, R0.20, R0.20, R0.60, R0.20");
    }

    @Test
    void a_burst_is_what_one_second_stores() {
        five.acquire(1);
        five.sleep(10);
        five.acquire(1, 1, 3, 1, 1);
        five.sleep(3);
        five.acquire(6, 1);
        assertThat(five.events()).isEqualTo("R0.00, U10.00, R0.00, R0.00, R0.00, R0.00, R0.20, U3.00, R0.00, R0.20");
    }

    @Test
    void tryAcquire_without_a_timeout() {
        five.tryAcquire(1, 0);
        five.tryAcquire(1, 0);
        five.tryAcquire(1, 199_999);
        five.sleep(0.199999);
        five.tryAcquire(1, 0);
        five.sleep(0.000001);
        five.tryAcquire(1, 0);
        assertThat(five.events()).isEqualTo("R0.00, rejected, rejected, U0.20, rejected, U0.00, R0.00");
    }

    @Test
    void tryAcquire_with_a_timeout() {
        five.tryAcquire(5, 0);
        five.tryAcquire(1, 500_000);
        five.tryAcquire(1, 1_000_000);
        five.tryAcquire(100, 200_000);
        five.tryAcquire(1, 19_999_999);
        five.tryAcquire(1, 20_000_000);
        assertThat(five.events()).isEqualTo("R0.00, rejected, R1.00, R0.20, rejected, R20.00");
    }

    @Test
    void a_new_rate_applies_after_the_next_permits() {
        Lockstep one = Lockstep.burstyToTheMicrosecond(1);
        one.acquire(1, 1);
        one.setRate(2);
        one.acquire(1, 2, 4, 8, 1);
        assertThat(one.events()).isEqualTo("R0.00, R1.00, R1.00, R0.50, R1.00, R2.00, R4.00");
    }

    @Test
    void warming_up_and_cooling_down() {
        Lockstep warming = Lockstep.warmingUp(2, Duration.ofSeconds(4), 3);
        warming.acquire(1, 1, 1, 1, 1, 1, 1, 1);
        warming.sleep(4.5);
        warming.acquire(1, 1, 1, 1, 1, 1, 1, 1);
        warming.sleep(2.5);
        warming.acquire(1, 1, 1, 1, 1, 1, 1, 1);
        assertThat(warming.events())
                .isEqualTo("R0.00, R1.38, R1.13, R0.88, R0.63, R0.50, R0.50, R0.50, U4.50, "
                        + "R0.00, R1.38, R1.13, R0.88, R0.63, R0.50, R0.50, R0.50, U2.50, "
                        + "R0.00, R0.50, R0.50, R0.50, R0.50, R0.50, R0.50, R0.50");
    }
}
