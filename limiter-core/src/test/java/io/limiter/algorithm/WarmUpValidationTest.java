package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WarmUpValidationTest {

    @ParameterizedTest
    @ValueSource(
            doubles = {
                1,
                0,
                -3,
                1000.1,
                Double.NaN,
                Double.MIN_VALUE,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY
            })
    void rejectsColdFactorsOutOfRange(double coldFactor) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WarmUp(Duration.ofSeconds(1), coldFactor))
                .withMessage("cold factor must be more than 1.0 and at most 1000.0, was " + coldFactor);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.000000999S", "PT24000H0.000000001S"})
    void rejectsPeriodsOutOfRange(String period) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new WarmUp(Duration.parse(period)))
                .withMessage(
                        "warm-up period must be between PT0.000001S and PT24000H (ISO-8601), was %s",
                        Duration.parse(period));
    }

    @Test
    void acceptsValuesJustInRange() {
        assertThatCode(() -> new WarmUp(Duration.ofNanos(1000), Math.nextUp(1.0)))
                .doesNotThrowAnyException();
        assertThatCode(() -> new WarmUp(Duration.ofDays(1000), 1000)).doesNotThrowAnyException();
    }

    @Test
    void namesANullArgument() {
        assertThatNullPointerException().isThrownBy(() -> new WarmUp(null)).withMessage("warm-up period");
    }
}
