package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Validation of the sliding limits and their states. */
class SlidingValidationTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void limits_below_one_are_rejected(int limit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingLog.of(limit, SECOND))
                .withMessage("limit of a sliding log must be between 1 and 100000, was " + limit);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingCounter.of(limit, SECOND))
                .withMessage("limit must be between 1 and 2147483647, was " + limit);
    }

    @Test
    void a_log_that_would_be_too_large_names_the_counter() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingLog.of(100_001, SECOND))
                .withMessage("limit of a sliding log must be between 1 and 100000, was 100001: use a SlidingCounter,"
                        + " which needs no memory for each grant");
        assertThatCode(() -> SlidingLog.of(100_000, SECOND)).doesNotThrowAnyException();
        assertThatCode(() -> SlidingCounter.of(Integer.MAX_VALUE, Duration.ofDays(1000)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999999S", "PT24000H0.000000001S"})
    void periods_out_of_range_are_rejected(String period) {
        String message = "period must be between PT0.001S and PT24000H (ISO-8601), was " + Duration.parse(period);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingLog.of(1, Duration.parse(period)))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingCounter.of(1, Duration.parse(period)))
                .withMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1, 1, 2",
        "1, 1, 1, 2",
        "-1, 1, 1, 2",
        "1, 2, 1, 1",
        "1, 2, 2, 1",
        "1, 2, 0, 1",
        "1, 2, 1, 2147483648",
        "1.5, 2, 1, 2",
        "1, 2, 1, 1.5",
        "NaN, 2, 1, 2",
        "1, NaN, 1, 2",
        "1, 2, NaN, 2",
        "1, 9007199254740992, 1, 2"
    })
    void an_invalid_log_is_rejected(double time1, double time2, double total1, double total2) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingLog.State(new double[] {time1, time2}, new double[] {total1, total2}))
                .withMessageStartingWith("not a log's state: ");
    }

    @Test
    void a_log_has_as_many_times_as_totals() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingLog.State(new double[2], new double[1]))
                .withMessage("not a log's state: 2 times and 1 totals");
    }

    @Test
    void a_log_is_a_value() {
        double[] times = {1, 2};
        SlidingLog.State log = new SlidingLog.State(times, new double[] {1, 5});
        times[0] = 0;
        log.totals()[0] = 7;
        assertThat(log)
                .isEqualTo(new SlidingLog.State(new double[] {1, 2}, new double[] {1, 5}))
                .hasSameHashCodeAs(new SlidingLog.State(new double[] {1, 2}, new double[] {1, 5}))
                .isNotEqualTo(new SlidingLog.State(new double[] {1, 3}, new double[] {1, 5}))
                .isNotEqualTo(new SlidingLog.State(new double[] {1, 2}, new double[] {1, 4}))
                .hasToString("State[timesMicros=[1.0, 2.0], totals=[1.0, 5.0]]");
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 1, 1, 1", "NaN, 1, 1, 1", "1e16, 1, 1, 1", "1, -1, 1, 1", "1, NaN, 1, 1", "1, 1e16, 1, 1",
        "1, 1, -1, 1", "1, 1, NaN, 1", "1, 1, 1e16, 1", "1, 1, 1, 0", "1, 1, 1, NaN", "1, 1, 1, 1e16"
    })
    void an_invalid_pair_of_windows_is_rejected(double previous, double current, double start, double period) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlidingCounter.State(previous, current, start, period))
                .withMessageStartingWith("not a counter's state: ");
    }
}
