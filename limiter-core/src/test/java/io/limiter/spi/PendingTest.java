package io.limiter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import org.junit.jupiter.api.Test;

class PendingTest {

    private static final LimiterBackendException FAILURE =
            new LimiterBackendException(Kind.RETRYABLE, "loading", "k", "Redis is loading", null, null);

    @Test
    void counts_failures_up_to_as_many_as_a_byte_holds() {
        Pending<String> pending = new Pending<>("k", null);
        for (int i = 0; i < 1_000; i++) {
            assertThat(pending.failedOnce(FAILURE)).isEqualTo(Math.min(i, Byte.MAX_VALUE));
        }
        assertThat(pending.lastFailure()).isSameAs(FAILURE);
    }

    @Test
    void a_thread_that_waits_runs_the_fallback_itself() {
        Pending<Thread> pending = new Pending<>("k", (failure, same) -> Thread.currentThread());
        pending.beforeParking(same -> same.fail(FAILURE, task -> new Thread(task).start()));
        assertThat(pending.await()).isSameAs(Thread.currentThread());
    }
}
