package io.limiter.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LogThrottleTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    // The clock may start anywhere, and overflow.
    private static final long START = Long.MAX_VALUE - MINUTE / 2;

    private final LogThrottle throttle = new LogThrottle();

    @Test
    void the_first_event_is_logged_and_then_one_a_minute_with_a_count_of_the_others() {
        assertThat(throttle.suppressed(START)).isZero();
        assertThat(throttle.suppressed(START)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(throttle.suppressed(START + MINUTE - 1)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(throttle.suppressed(START + MINUTE)).isEqualTo(2);
        assertThat(throttle.suppressed(START + MINUTE + 1)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(throttle.suppressed(START + 5 * MINUTE)).isEqualTo(1);
    }
}
