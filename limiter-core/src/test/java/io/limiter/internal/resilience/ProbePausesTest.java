package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProbePausesTest {

    private final ProbePauses pauses = new ProbePauses(Duration.ofMillis(500));

    @Test
    void a_hiccup_is_over_soon_and_a_long_outage_is_probed_at_the_interval() {
        pauses.unavailable(at(0));
        assertThat(micros(7)).containsExactly(31_250L, 62_500L, 125_000L, 250_000L, 500_000L, 500_000L, 500_000L);
    }

    @Test
    void a_backend_that_soon_fails_again_is_not_probed_from_the_beginning() {
        pauses.unavailable(at(0));
        micros(2);
        pauses.recovered(at(100));
        pauses.unavailable(at(5_099));
        assertThat(micros(4)).containsExactly(125_000L, 250_000L, 500_000L, 500_000L);
        pauses.recovered(at(7_000));
        pauses.unavailable(at(11_999));
        assertThat(micros(1)).containsExactly(500_000L);
    }

    @Test
    void a_backend_that_was_available_for_long_is() {
        pauses.unavailable(at(0));
        micros(7);
        pauses.recovered(at(100));
        pauses.unavailable(at(5_100));
        assertThat(micros(1)).containsExactly(31_250L);
    }

    @Test
    void a_backend_that_is_unavailable_when_the_clock_is_below_zero_is_too() {
        ProbePauses shortest = new ProbePauses(Duration.ofNanos(1));
        shortest.unavailable(Long.MIN_VALUE);
        assertThat(shortest.next()).isEqualTo(1);
        assertThat(shortest.next()).isEqualTo(1);
    }

    private static long at(long millis) {
        return Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3) + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private List<Long> micros(int probes) {
        return Stream.generate(() -> TimeUnit.NANOSECONDS.toMicros(pauses.next()))
                .limit(probes)
                .toList();
    }
}
