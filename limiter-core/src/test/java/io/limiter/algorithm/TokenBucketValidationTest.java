package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.limiter.step.Request;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketValidationTest {

    private final TokenBucket good = TokenBucket.of(1, 1);

    @Test
    void rejects_more_permits_than_a_double_can_count() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(1e9, 8.64e7))
                .withMessage(
                        "capacity must be at most 1000000000000 permits, was 8.64E16: at 1.0E9/s, choose a shorter burst than"
                                + " 8.64E7 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.guava(1e9, Duration.ofDays(1000)))
                .withMessageStartingWith("capacity must be at most 1000000000000 permits, was ");
    }

    @ParameterizedTest
    @CsvSource({
        "0.5,    1,       2.0,                  1.0",
        "0.1,    9.99,    10.0,                 0.01",
        "0.25,   1,       4.0,                  3.0",
        "1000,   0.00075, 0.001,                0.00025",
        "1,      0.99999, 1.0,                  0.00001",
    })
    void names_the_burst_or_max_wait_that_would_grant_a_permit(double rate, double burst, double enough, double wait) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(rate, burst))
                .withMessage("capacity must be at least 1 permit (at " + rate + "/s a burst of " + enough + " s), was "
                        + rate * burst + ": no call would ever be granted without waiting");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(rate, burst, Duration.ZERO))
                .withMessageStartingWith("capacity must be at least 1 permit (at " + rate + "/s a burst of " + enough
                        + " s), was " + rate * burst + ", or maxWait at least " + wait + " s")
                .withMessageEndingWith("no call would ever be granted with a maxWait of PT0S");
    }

    @Test
    void names_a_max_wait_that_is_too_short() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(0.1, 5, Duration.ofSeconds(3)))
                .withMessage(
                        "capacity must be at least 1 permit (at 0.1/s a burst of 10.0 s), was 0.5, or maxWait at least 5.0 s"
                                + ": no call would ever be granted with a maxWait of PT3S");
        assertThatCode(() -> create(0.1, 5, Duration.ofSeconds(5))).doesNotThrowAnyException();
    }

    @Test
    void a_new_rate_must_leave_a_burst_one_permit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.withRate(0.5))
                .withMessageStartingWith("capacity must be at least 1 permit (at 0.5/s a burst of 2.0 s), was 0.5");
        assertThat(create(0.9, 1, Duration.ofSeconds(5)).withRate(0.5).maxPermits())
                .as("the burst had less before")
                .isEqualTo(0.5);
    }

    @Test
    void a_burst_scales_with_the_rate_and_a_capacity_stays() {
        assertThat(TokenBucket.perSecond(50)
                        .withBurst(Duration.ofSeconds(2))
                        .withRate(5)
                        .maxPermits())
                .isEqualTo(10);
        assertThat(TokenBucket.perSecond(50).withCapacity(100).withRate(5).maxPermits())
                .isEqualTo(100);
        assertThat(TokenBucket.perSecond(50).maxPermits()).isEqualTo(50);
        assertThat(TokenBucket.perSecond(50).withRate(0.5).maxPermits()).isEqualTo(1);
        assertThat(TokenBucket.per(1, Duration.ofMinutes(1)).maxPermits()).isEqualTo(1);
        assertThat(TokenBucket.per(1, Duration.ofMinutes(1)).permitsPerSecond()).isEqualTo(1.0 / 60);
        assertThat(TokenBucket.perSecond(50).withBurst(Duration.ofSeconds(2))).isEqualTo(TokenBucket.of(50, 2));
        assertThat(TokenBucket.perSecond(50).withCapacity(100).scaled(0.1).maxPermits())
                .isEqualTo(10);
        assertThat(TokenBucket.perSecond(50).withCapacity(2).scaled(0.1).maxPermits())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"100, 60", "7, 49", "3, 0.007", "1, 60", "0.5, 1", "0.1, 3600", "1000000, 86400000", "1000000000, 1"})
    void holds_as_many_permits_as_the_number_in_its_rate_and_at_least_one(double permits, double seconds) {
        TokenBucket bucket = TokenBucket.per(permits, Duration.ofNanos(Math.round(seconds * 1e9)));
        assertThat(bucket.capacity()).isEqualTo((long) Math.max(1, permits));
        assertThat(bucket.permitsPerSecond()).isCloseTo(permits / seconds, withinPercentage(1e-9));
        assertThat(bucket.step(null, 0, Request.take((int) bucket.capacity(), 0))
                        .verdict()
                        .isGranted())
                .isTrue();
        assertThat(bucket.withRate(bucket.permitsPerSecond() / 2).capacity())
                .as("a period's permits at another rate")
                .isEqualTo((long) Math.max(1, permits / 2));
    }

    @Test
    void rejects_capacities_out_of_range() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.withCapacity(0))
                .withMessage("capacity (permits) must be more than 0.0 and at most 1.0E12, was 0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> good.withCapacity(0.5))
                .withMessageStartingWith("capacity must be at least 1 permit (at 1.0/s a burst of 1.0 s), was 0.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.perSecond(1e-6).withCapacity(1000))
                .withMessageStartingWith("capacity must fill in at most 8.64E7 s, was 1000.0 permits");
    }

    @Test
    void the_suggested_definition_is_accepted_and_grants_a_permit() {
        Random random = Seed.random();
        for (int i = 0; i < 100_000; i++) {
            double rate =
                    random.nextBoolean() ? Math.pow(10, -6 + 12 * random.nextDouble()) : 1.0 / random.nextInt(1, 1000);
            double tooLittle = random.nextDouble() / rate;
            Duration timeout = Duration.ofNanos((long) Math.ceil((1.0 - rate * tooLittle) / rate * 1e6) * 1000);

            grantsOne(TokenBucket.of(rate, 1.0 / rate));
            if (tooLittle >= 1e-9) {
                grantsOne(create(rate, tooLittle, timeout));
            }
        }
    }

    @Test
    void with_next_caller_any_capacity_is_accepted() {
        assertThatCode(() -> create(0.1, 1, null, WhoWaits.NEXT_CALLER, true, TokenBucket.DEFAULT_MAX_WAIT))
                .doesNotThrowAnyException();
    }

    @Test
    void a_warm_up_needs_next_caller_and_starts_cold() {
        TokenBucket cold = TokenBucket.guava(1, Duration.ofSeconds(1));

        assertThatNullPointerException()
                .isThrownBy(() -> good.withWhoWaits(null))
                .withMessage("whoWaits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cold.withWhoWaits(WhoWaits.CALLER))
                .withMessageContaining("NEXT_CALLER, was CALLER");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> create(1, 1, cold.warmUp(), WhoWaits.NEXT_CALLER, false, TokenBucket.DEFAULT_MAX_WAIT))
                .withMessageContaining("set startsFull to true");
        assertThat(TokenBucket.of(1, 1).withWarmUp(cold.warmUp())).isEqualTo(cold);
    }

    private static TokenBucket create(double rate, double burst, Duration maxWait) {
        return create(rate, burst, null, WhoWaits.CALLER, true, maxWait);
    }

    private static TokenBucket create(
            double rate, double burst, WarmUp warmUp, WhoWaits whoWaits, boolean startsFull, Duration maxWait) {
        return new TokenBucket(rate, burst, 0, warmUp, whoWaits, startsFull, maxWait, TokenBucket.DEFAULT_EXPIRE);
    }

    private static void grantsOne(TokenBucket bucket) {
        assertThat(new Timeline<>(bucket).take(0, 1, bucket.maxWaitMicros()).isGranted())
                .as(Seed.hint() + bucket)
                .isTrue();
    }
}
