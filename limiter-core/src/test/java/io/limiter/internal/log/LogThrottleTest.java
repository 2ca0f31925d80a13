package io.limiter.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogThrottleTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    // The clock may start anywhere, and overflow.
    private static final long START = Long.MAX_VALUE - MINUTE / 2;

    private final AtomicLong nanos = new AtomicLong(START);
    private final LogThrottle throttle = new LogThrottle(nanos::get);

    @Test
    void the_first_event_is_logged_and_then_one_a_minute_with_a_count_of_the_others() {
        assertThat(suppressed(START, 1)).isZero();
        assertThat(suppressed(START, 1)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(suppressed(START + MINUTE - 1, 1)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(suppressed(START + MINUTE, 1)).isEqualTo(2);
        assertThat(suppressed(START + MINUTE + 1, 1)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(suppressed(START + 5 * MINUTE, 1)).isEqualTo(1);
    }

    @Test
    void a_line_for_several_events_describes_one_of_them() {
        assertThat(suppressed(START, 3)).isEqualTo(2);
        assertThat(suppressed(START, 4)).isEqualTo(LogThrottle.NOT_NOW);
        assertThat(suppressed(START + MINUTE, 2)).isEqualTo(5);
    }

    private long suppressed(long nowNanos, int events) {
        nanos.set(nowNanos);
        return throttle.suppressed(events);
    }
}
