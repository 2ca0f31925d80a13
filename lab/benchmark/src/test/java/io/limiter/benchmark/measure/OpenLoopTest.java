package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.benchmark.subject.Subject;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    /** Each of 64 threads has a request every 100 ms. */
    private static final int PER_SECOND = 640;

    @Test
    void what_waits_behind_a_slow_decision_is_slow_too() throws InterruptedException {
        AtomicInteger requests = new AtomicInteger();
        Subject slowOnce = id -> {
            if (requests.incrementAndGet() == 300) {
                sleep(350);
            }
            return true;
        };
        Histogram nanos = OpenLoop.run(slowOnce, PER_SECOND, 0.05, 1.2);
        assertThat(nanos.getTotalCount()).isBetween(767L, 769L);
        assertThat(nanos.getCountBetweenValues(TimeUnit.MILLISECONDS.toNanos(140), nanos.getMaxValue()))
                .as("one after 350 ms, one after 250, one after 150")
                .isGreaterThanOrEqualTo(3);
    }

    @Test
    void a_failed_request_makes_figures_worthless() {
        Subject failing = id -> {
            throw new IllegalStateException("out of order");
        };
        assertThatThrownBy(() -> OpenLoop.run(failing, PER_SECOND, 0, 0.05)).hasMessage("32 requests have failed");
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
