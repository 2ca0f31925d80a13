package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.benchmark.load.Arrivals;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.subject.Subject;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private static final int PER_SECOND = 640;
    private static final Arrivals ARRIVALS = new Arrivals(KeySpace.HOT, PER_SECOND, 0);

    @Test
    void what_arrives_during_a_slow_decision_is_slow_too() throws InterruptedException {
        AtomicInteger requests = new AtomicInteger();
        Subject slowOnce = id -> {
            synchronized (requests) {
                if (requests.incrementAndGet() == 300) {
                    sleep(350);
                }
            }
            return true;
        };
        long[] due = ARRIVALS.dueNanos(1.25);
        Histogram nanos = run(slowOnce, due, 50_000_000);
        assertThat(nanos.getTotalCount())
                .isEqualTo(Arrays.stream(due).filter(at -> at >= 50_000_000).count());
        assertThat(nanos.getCountBetweenValues(TimeUnit.MILLISECONDS.toNanos(100), nanos.getMaxValue()))
                .as("more than the 64 threads that wait in it: those that arrive meanwhile, too")
                .isGreaterThan(Arrivals.WORKERS);
    }

    @Test
    void requests_arrive_at_their_rate_by_chance() {
        long[] due = ARRIVALS.dueNanos(100);
        assertThat(due).isSorted().hasSizeBetween(62_000, 66_000);
        assertThat(ARRIVALS.dueNanos(100)).isEqualTo(due);
        long close = IntStream.range(1, due.length)
                .filter(i -> due[i] - due[i - 1] < 1e9 / PER_SECOND)
                .count();
        assertThat(close / (double) due.length).as("1 - 1/e").isBetween(0.62, 0.64);
    }

    @Test
    void a_failed_request_makes_figures_worthless() {
        Subject failing = id -> {
            throw new IllegalStateException("out of order");
        };
        assertThatThrownBy(() -> run(failing, new long[] {0, 1, 2}, 0)).hasMessage("3 requests have failed");
    }

    private static Histogram run(Subject subject, long[] dueNanos, long unmeasuredNanos) throws InterruptedException {
        return OpenLoop.run(subject, new int[1], dueNanos, unmeasuredNanos, () -> {});
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
