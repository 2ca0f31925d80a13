package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FixedWindowValidationTest {

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void rejectsLimitsOutOfRange(int limit) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(limit, Duration.ofSeconds(1)))
                .withMessage("limit must be between 1 and 2147483647, was " + limit);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000999999S", "PT24000H0.000000001S"})
    void rejectsPeriodsOutOfRange(String period) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(1, Duration.parse(period)))
                .withMessage("period must be between PT0.001S and PT24000H (ISO-8601), was %s", Duration.parse(period));
    }

    @Test
    void acceptsValuesJustInRange() {
        assertThatCode(() -> FixedWindow.of(1, Duration.ofMillis(1))).doesNotThrowAnyException();
        assertThatCode(() -> FixedWindow.of(Integer.MAX_VALUE, Duration.ofDays(1000)))
                .doesNotThrowAnyException();
    }

    @Test
    void namesANullArgument() {
        assertThatNullPointerException()
                .isThrownBy(() -> FixedWindow.of(1, null))
                .withMessage("period");
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "NaN, 1", "Infinity, 1", "1, -1", "1, NaN", "1, Infinity"})
    void anInvalidStateIsRejected(double count, double windowEndMillis) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FixedWindow.State(count, windowEndMillis))
                .withMessage("not a window's state: count " + count + ", windowEndMillis " + windowEndMillis);
    }

    @Test
    void anEmptyWindowAtTheEpochIsValid() {
        assertThatCode(() -> new FixedWindow.State(0, 0)).doesNotThrowAnyException();
    }
}
