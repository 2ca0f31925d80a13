package io.limiter;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class DecisionTest {

    @Test
    void gives_its_times_as_durations() {
        Decision decision = decision(false, 5, 1, 1_500_000, 2_000_001, 3);

        assertThat(decision.timeToWait()).isEqualTo(Duration.ofMillis(1500));
        assertThat(decision.retryAfter()).hasValue(Duration.ofSeconds(2).plusNanos(1000));
        assertThat(decision.fullAfter()).isEqualTo(Duration.of(3, ChronoUnit.MICROS));
    }

    @Test
    void a_wait_that_never_ends_is_longer_than_any_other_time() {
        Decision decision = decision(false, 5, 1, Verdict.NEVER_MICROS, Ranges.micros(Ranges.MAX_DURATION), 0);

        assertThat(decision.timeToWait()).isGreaterThan(decision.retryAfter().orElseThrow());
        assertThat(decision.fullAfter()).isZero();
        assertThat(decision.timeToWait().toMillis()).isEqualTo(Long.MAX_VALUE / 1_000_000);
        assertThat(decision.timeToWait().toNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void gives_no_retry_after_if_granted_or_if_never_granted() {
        assertThat(rejectedFor(Verdict.NEVER_MICROS).retryAfter()).isEmpty();
        assertThat(decision(true, 1, 0, 0, 0, 0).retryAfter()).isEmpty();
        assertThat(rejectedFor(0).retryAfter()).hasValue(Duration.ZERO);
    }

    @Test
    void gives_retry_after_in_whole_seconds_for_http() {
        assertThat(rejectedFor(1).retryAfterSeconds()).hasValue(1);
        assertThat(rejectedFor(0).retryAfterSeconds()).hasValue(1);
        assertThat(rejectedFor(5_000_000).retryAfterSeconds()).hasValue(5);
        assertThat(rejectedFor(5_000_001).retryAfterSeconds()).hasValue(6);
        assertThat(rejectedFor(Verdict.NEVER_MICROS).retryAfterSeconds()).isEmpty();
        assertThat(decision(true, 1, 0, 0, 0, 0).retryAfterSeconds()).isEmpty();
    }

    private static Decision rejectedFor(long retryAfterMicros) {
        return decision(false, 1, 0, 0, retryAfterMicros, 0);
    }
}
