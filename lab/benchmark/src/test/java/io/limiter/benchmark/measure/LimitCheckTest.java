package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.benchmark.subject.Allowance;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LimitCheckTest {

    private long nowNanos = 42;

    @Test
    void the_burst_and_what_the_rate_gives_since_are_allowed() {
        LimitCheck check = new LimitCheck(Allowance.perSecond(100), 1, () -> nowNanos);
        grant(check, 100);
        passMillis(500);
        grant(check, 50);
        assertThat(check.above()).isZero();
        grant(check, 3);
        assertThat(check.above()).isEqualTo(3);
    }

    @Test
    void what_was_too_much_stays_so_when_time_has_made_up_for_it() {
        LimitCheck check = new LimitCheck(Allowance.perSecond(100), 1, () -> nowNanos);
        grant(check, 110);
        passMillis(5000);
        grant(check, 1);
        assertThat(check.above()).isEqualTo(10);
    }

    @Test
    void every_id_has_a_burst_and_a_rate_of_its_own() {
        LimitCheck check = new LimitCheck(Allowance.perHour(2), 10, () -> nowNanos);
        for (int id = 0; id < 10; id++) {
            check.granted(id);
            check.granted(id);
        }
        assertThat(check.above()).isZero();
        check.granted(7);
        assertThat(check.above()).isEqualTo(1);
    }

    private static void grant(LimitCheck check, int times) {
        for (int i = 0; i < times; i++) {
            check.granted(0);
        }
    }

    private void passMillis(long millis) {
        nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
