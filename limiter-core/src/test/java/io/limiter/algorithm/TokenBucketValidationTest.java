package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketValidationTest {

    private static final Duration TOO_LONG = Duration.ofDays(1000).plusNanos(1);

    private final TokenBucket good = TokenBucket.of(1, 1);

    @ParameterizedTest
    @ValueSource(
            doubles = {
                0,
                -0.0,
                -1,
                9.9e-9,
                1.1e9,
                Double.MIN_VALUE,
                Double.MAX_VALUE,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY
            })
    void refusesRatesOutOfRange(double rate) {
        String message = "rate (permits per second) must be between 1.0E-8 and 1.0E9, was " + rate;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(rate, 1))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.guava(rate))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.withRate(rate))
                .withMessage(message);
    }

    @ParameterizedTest
    @ValueSource(
            doubles = {0, -1, 9.9e-10, 8.640001e7, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY, -1.0 / 0.0})
    void refusesBurstsOutOfRange(double burst) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(1, burst))
                .withMessage("burst (seconds) must be between 1.0E-9 and 8.64E7, was " + burst);
    }

    @Test
    void refusesDurationsOutOfRange() {
        String range = " must be between PT0S and PT24000H (ISO-8601), was ";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.toBuilder().timeout(Duration.ofNanos(-1)).build())
                .withMessage("timeout" + range + "PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.toBuilder().timeout(TOO_LONG).build())
                .withMessage("timeout" + range + "PT24000H0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.toBuilder().maxWait(Duration.ofHours(-1)).build())
                .withMessage("maxWait" + range + "PT-1H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.toBuilder().maxWait(TOO_LONG).build())
                .withMessage("maxWait" + range + "PT24000H0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.toBuilder().expire(Duration.ZERO).build())
                .withMessage("expire must be between PT0.001S and PT24000H (ISO-8601), was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.toBuilder().expire(TOO_LONG).build())
                .withMessageContaining("was PT24000H0.000000001S");
    }

    @Test
    void refusesMorePermitsThanADoubleCanCount() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(1e9, 8.64e7))
                .withMessageContaining("8.64E16 permits, must be at most 1.0E12");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.guava(1e9, Duration.ofDays(1000)))
                .withMessageContaining("permits, must be at most 1.0E12");
    }

    @Test
    void acceptsWhatIsJustInRange() {
        Duration longest = Duration.ofDays(1000);

        assertThatCode(() -> TokenBucket.builder(1e9, 1e-9)
                        .timeout(longest)
                        .maxWait(longest)
                        .expire(longest)
                        .build())
                .doesNotThrowAnyException();
        assertThatCode(() -> TokenBucket.builder(10_000, 8.64e7)
                        .maxWait(Duration.ZERO)
                        .expire(Duration.ofMillis(1))
                        .build())
                .doesNotThrowAnyException();
        assertThatCode(() -> TokenBucket.guava(1e-8)).doesNotThrowAnyException();
    }

    @Test
    void namesWhatIsNull() {
        assertThatNullPointerException()
                .isThrownBy(() -> good.toBuilder().timeout(null).build())
                .withMessage("timeout");
        assertThatNullPointerException()
                .isThrownBy(() -> good.toBuilder().maxWait(null).build())
                .withMessage("maxWait");
        assertThatNullPointerException()
                .isThrownBy(() -> good.toBuilder().expire(null).build())
                .withMessage("expire");
        assertThatNullPointerException()
                .isThrownBy(() -> good.toBuilder().whoWaits(null).build())
                .withMessage("whoWaits");
    }

    @ParameterizedTest
    @CsvSource({
        "0.5,    1,       2.0,                  1.0",
        "0.1,    9.99,    10.0,                 0.01",
        "0.25,   1,       4.0,                  3.0",
        "1000,   0.00075, 0.001,                0.00025",
        "1,      0.99999, 1.0,                  0.00001",
    })
    void saysWhichBurstOrTimeoutWouldGrantAnything(double rate, double burst, double enough, double timeout) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(rate, burst))
                .withMessageContaining("rate " + rate + "/s with a burst of " + burst + " s")
                .withMessageContaining("holds at most " + rate * burst + " permits")
                .withMessageContaining("timeout of PT0S: burst must be at least " + enough + " s")
                .withMessageEndingWith("or the timeout at least " + timeout + " s");
    }

    @Test
    void saysWhenMaxWaitIsTooShortAsWell() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(0.1, 5, Duration.ofSeconds(7), Duration.ofSeconds(3)))
                .withMessageEndingWith("or the timeout at least 5.0 s and maxWait (PT3S) no less");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(0.1, 5, Duration.ZERO, Duration.ofSeconds(3)))
                .withMessageEndingWith("or the timeout at least 5.0 s and maxWait (PT3S) no less");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(0.1, 5, Duration.ofSeconds(3), Duration.ofSeconds(5)))
                .withMessageEndingWith("or the timeout at least 5.0 s");
    }

    @Test
    void whatItSuggestsIsAcceptedAndGrantsSomething() {
        Random random = Seed.random();
        for (int i = 0; i < 100_000; i++) {
            double rate =
                    random.nextBoolean() ? Math.pow(10, -6 + 12 * random.nextDouble()) : 1.0 / random.nextInt(1, 1000);
            double tooLittle = random.nextDouble() / rate;
            Duration timeout = Duration.ofNanos((long) Math.ceil((1.0 - rate * tooLittle) / rate * 1e6) * 1000);

            grantsOne(TokenBucket.of(rate, 1.0 / rate));
            if (tooLittle >= 1e-9) {
                grantsOne(create(rate, tooLittle, timeout, timeout));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {49, 98, 103, 107, 161, 187, 196, 197})
    void aRoundingErrorIsNotALack(int seconds) {
        assertThat(1.0 / seconds * seconds).isLessThan(1);
        assertThat(TokenBucket.of(1.0 / seconds, seconds).capacity()).isOne();
    }

    @Test
    void theNextCallerPaysWhateverTheBucketHolds() {
        assertThatCode(() -> new TokenBucket(
                        0.1,
                        1,
                        null,
                        WhoWaits.NEXT_CALLER,
                        true,
                        Duration.ZERO,
                        TokenBucket.DEFAULT_MAX_WAIT,
                        TokenBucket.DEFAULT_EXPIRE,
                        null))
                .doesNotThrowAnyException();
    }

    @Test
    void aWarmUpWorksOnlyTheGuavaWayAndStartsCold() {
        TokenBucket cold = TokenBucket.guava(1, Duration.ofSeconds(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> cold.toBuilder().whoWaits(WhoWaits.CALLER).build())
                .withMessageContaining("NEXT_CALLER, was CALLER");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenBucket(
                        1,
                        1,
                        cold.warmUp(),
                        WhoWaits.NEXT_CALLER,
                        false,
                        Duration.ZERO,
                        TokenBucket.DEFAULT_MAX_WAIT,
                        TokenBucket.DEFAULT_EXPIRE,
                        null))
                .withMessageContaining("startsFull must be true");
        assertThat(TokenBucket.builder(1, cold.warmUp()).build()).isEqualTo(cold);
    }

    private static TokenBucket create(double rate, double burst, Duration timeout, Duration maxWait) {
        return new TokenBucket(
                rate, burst, null, WhoWaits.CALLER, true, timeout, maxWait, TokenBucket.DEFAULT_EXPIRE, null);
    }

    private static void grantsOne(TokenBucket bucket) {
        assertThat(new Timeline<>(bucket).ask(0, 1, bucket.timeoutMicros()).granted())
                .as(Seed.hint() + bucket)
                .isTrue();
    }
}
