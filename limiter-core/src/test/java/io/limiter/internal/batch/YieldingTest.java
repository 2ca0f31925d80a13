package io.limiter.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.internal.engine.Ask;
import io.limiter.testing.Expected;
import io.limiter.testing.HandEngine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("threads")
class YieldingTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Ask pending = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), null);
    private long nowNanos;
    private long yieldNanos = 500;
    private int yields;
    private int clockReads;

    private final Yielding yielding = new Yielding(
            Duration.ofNanos(5_000),
            new Ticker() {
                @Override
                public long read() {
                    clockReads++;
                    return nowNanos;
                }
            },
            () -> {
                yields++;
                nowNanos += yieldNanos;
            });

    @Test
    void a_thread_yields_until_its_time_is_over() {
        yielding.accept(pending);
        assertThat(yields).isEqualTo(10);
    }

    @Test
    void time_in_which_others_run_counts_as_a_microsecond() {
        yieldNanos = MILLI;
        yielding.accept(pending);
        assertThat(yields).isEqualTo(5);
    }

    @Test
    void a_thread_that_has_its_decision_does_not_yield() {
        pending.complete(Expected.outcome(true, 1, 0, 0, 0, 0));
        yielding.accept(pending);
        assertThat(yields).isZero();
    }

    @Test
    void after_a_long_yield_no_thread_yields_for_sixteen_times_as_long() {
        yieldNanos = 3 * MILLI;
        yielding.accept(pending);
        yielding.accept(pending);
        assertThat(yields).isEqualTo(1);
        nowNanos += 48 * MILLI - 1;
        yielding.accept(pending);
        assertThat(yields).isEqualTo(1);
        nowNanos += 1;
        yielding.accept(pending);
        assertThat(yields).isEqualTo(2);
    }

    @Test
    void it_helps_if_many_wait_or_the_reply_comes_within_the_time() {
        assertThat(yielding.helps(8, MILLI)).isTrue();
        assertThat(yielding.helps(7, MILLI)).isFalse();
        assertThat(yielding.helps(1, 5_000)).isTrue();
        assertThat(yielding.helps(1, 0)).as("before a reply").isFalse();
        assertThat(new Yielding(Duration.ZERO).helps(1_000, 0)).isFalse();
    }

    @Test
    void a_virtual_thread_parks_immediately_and_reads_no_clock() throws Exception {
        clockReads = 0;
        Thread thread;
        try {
            thread = (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable)
                            () -> yielding.accept(pending));
        } catch (NoSuchMethodException e) {
            // Before JDK 21 there are none.
            return;
        }
        thread.join();
        assertThat(yields).isZero();
        assertThat(clockReads).isZero();
    }
}
