package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BreakerTest {

    private static final LimiterBackendException FAILURE =
            new LimiterBackendException(Kind.RETRYABLE, "timeout", "key", "away", null, null);

    private final Breaker breaker = new Breaker(
            "redis",
            Breakers.silent(),
            Duration.ofDays(16),
            ListenerNotifier.NONE,
            Thread::new,
            AsyncLog.NONE,
            System.nanoTime());

    /** As by a thread that has seen it open, and stops until it has recovered. */
    @Test
    void a_failure_that_is_older_than_its_recovery_does_not_open_it() {
        breaker.open(FAILURE);
        assertThat(breaker.isOpen()).isFalse();
        for (int i = 0; i < 10; i++) {
            breaker.failed(FAILURE);
        }
        assertThat(breaker.isOpen()).isTrue();
        breaker.close();
    }
}
