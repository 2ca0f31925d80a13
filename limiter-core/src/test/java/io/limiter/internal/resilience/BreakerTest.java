package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("threads")
class BreakerTest {

    private static final LimiterBackendException FAILURE =
            new LimiterBackendException(Kind.RETRYABLE, "timeout", "key", "unavailable", null, null);

    private final AtomicInteger probes = new AtomicInteger();
    private final Breakers all = Breakers.silent();
    private final Breaker breaker = breaker(Duration.ofDays(16));

    @AfterEach
    void close() {
        breaker.close();
    }

    private Breaker breaker(Duration probeInterval) {
        return new Breaker(
                BackendState.ONLY_NODE,
                all,
                probeInterval,
                ListenerNotifier.NONE,
                Thread::new,
                AsyncLog.NONE,
                System.nanoTime());
    }

    /** Fails as a thread does that saw the breaker open and was stopped until it had recovered. */
    @Test
    void a_failure_that_is_older_than_its_recovery_does_not_open_it() {
        breaker.open(FAILURE);
        assertThat(breaker.isOpen()).isFalse();
        fail(10);
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void five_failures_of_the_last_ten_outcomes_open_it() {
        for (int i = 0; i < 100; i++) {
            fail(4);
            answer(6);
        }
        fail(4);
        answer(5);
        assertThat(breaker.isOpen()).isFalse();
        fail(1);
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void late_answers_are_no_successes() {
        fail(4);
        for (int i = 0; i < 10; i++) {
            breaker.answered(System.nanoTime(), false);
        }
        fail(1);
        assertThat(breaker.isOpen()).isTrue();
    }

    /** The pauses would be days. */
    @Test
    void each_of_many_stalls_is_over_with_the_first_probe() {
        all.probeBy(Nodes.ONE, key -> probes.incrementAndGet());
        for (int i = 1; i <= 20; i++) {
            fail(5);
            Awaitility.await().until(() -> !breaker.isOpen());
            assertThat(probes).hasValue(i);
            answer(5);
        }
    }

    @Test
    void a_backend_that_answers_only_probes_is_probed_after_pauses_that_grow() {
        all.probeBy(Nodes.ONE, key -> probes.incrementAndGet());
        fail(5);
        Awaitility.await().until(() -> !breaker.isOpen());
        answer(4);
        fail(5);
        Awaitility.await().during(Duration.ofMillis(50)).until(breaker::isOpen);
        assertThat(probes).hasValue(1);
    }

    @Test
    void pauses_double_up_to_the_probe_interval() {
        all.probeBy(Nodes.ONE, key -> {
            probes.incrementAndGet();
            throw FAILURE;
        });
        try (Breaker probed = breaker(Duration.ofMillis(160))) {
            probed.answered(System.nanoTime(), true);
            long startNanos = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                probed.failed(FAILURE);
            }
            Awaitility.await().until(() -> probes.get() == 8);
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isGreaterThan(Duration.ofMillis(630));
        }
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            breaker.failed(FAILURE);
        }
    }

    private void answer(int times) {
        for (int i = 0; i < times; i++) {
            breaker.answered(System.nanoTime(), true);
        }
    }
}
