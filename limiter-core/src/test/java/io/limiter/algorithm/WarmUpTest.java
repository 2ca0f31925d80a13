package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.testing.Timeline;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WarmUpTest {

    static Stream<Arguments> warmUps() {
        double[] rates = {0.001, 1.0 / 3, 2, 99.9, 12_345.678, 1_000_000};
        double[] coldFactors = {1.0000001, 1.5, 3, 10, 1000};
        Duration[] periods = {Duration.ofNanos(1000), Duration.ofMillis(4), Duration.ofSeconds(7), Duration.ofDays(1000)
        };
        return Stream.of(periods)
                .flatMap(period -> Stream.of(box(coldFactors))
                        .flatMap(coldFactor -> Stream.of(box(rates))
                                .map(rate -> Arguments.of(WarmUp.of(period).withColdFactor(coldFactor), 1e6 / rate))));
    }

    private static Double[] box(double[] numbers) {
        return java.util.Arrays.stream(numbers).boxed().toArray(Double[]::new);
    }

    @ParameterizedTest
    @MethodSource("warmUps")
    void the_trapezoid_is_the_period(WarmUp warmUp, double interval) {
        double width = warmUp.maxPermits(interval) - warmUp.thresholdPermits(interval);
        double area = (interval + interval * warmUp.coldFactor()) / 2 * width;
        double period = Ranges.micros(warmUp.period());

        assertThat(area).isCloseTo(period, within(period * 1e-12));
    }

    @ParameterizedTest
    @MethodSource("warmUps")
    void the_rectangle_is_half_the_period(WarmUp warmUp, double interval) {
        double period = Ranges.micros(warmUp.period());

        assertThat(warmUp.thresholdPermits(interval) * interval).isCloseTo(period / 2, within(period * 1e-12));
    }

    @ParameterizedTest
    @MethodSource("warmUps")
    void the_price_rises_without_a_jump_from_stable_to_cold(WarmUp warmUp, double interval) {
        double width = warmUp.maxPermits(interval) - warmUp.thresholdPermits(interval);
        double cold = interval * warmUp.coldFactor();

        assertThat(interval + width * warmUp.slopeMicros(interval)).isCloseTo(cold, within(cold * 1e-12));
    }

    @ParameterizedTest
    @MethodSource("warmUps")
    void cooling_down_takes_the_period(WarmUp warmUp, double interval) {
        double period = Ranges.micros(warmUp.period());

        assertThat(warmUp.coolDownIntervals())
                .isCloseTo(period / warmUp.maxPermits(interval) / interval, within(1e-12 * warmUp.coolDownIntervals()));
    }

    @Test
    void a_cold_factor_of_three_cools_one_permit_an_interval() {
        assertThat(WarmUp.of(Duration.ofSeconds(1)).coolDownIntervals()).isEqualTo(1.0);
        assertThat(WarmUp.of(Duration.ofSeconds(1)).coldFactor()).isEqualTo(3.0);
    }

    /** 2/s, 4 s and 3: half a period of 4 stored permits at 0.5 s each, then 4 more on the way up to 1.5 s. */
    @Test
    void a_taken_permit_costs_the_area_it_passes() {
        TokenBucket bucket = TokenBucket.guava(2, Duration.ofSeconds(4));
        Timeline<RedisPermits> timeline = new Timeline<>(bucket);

        assertThat(bucket.maxPermits()).isEqualTo(8.0);
        assertThat(bucket.warmUp().thresholdPermits(500_000)).isEqualTo(4.0);
        assertThat(bucket.warmUp().slopeMicros(500_000)).isEqualTo(250_000.0);
        long[] costs = {1_375_000, 1_125_000, 875_000, 625_000, 500_000, 500_000, 500_000, 500_000, 500_000};
        for (long cost : costs) {
            assertThat(costOf(timeline, 1)).isEqualTo(cost);
        }
    }

    @Test
    void permits_cost_the_same_at_once_and_one_after_the_other() {
        TokenBucket bucket = TokenBucket.guava(2, Duration.ofSeconds(4));

        assertThat(costOf(new Timeline<>(bucket), 4)).isEqualTo(4_000_000);
        assertThat(costOf(new Timeline<>(bucket), 8)).isEqualTo(6_000_000);
        assertThat(costOf(new Timeline<>(bucket), 10)).isEqualTo(7_000_000);
    }

    @Test
    void it_is_cold_again_after_one_idle_period() {
        TokenBucket bucket = TokenBucket.perSecond(2)
                .withWarmUp(WarmUp.of(Duration.ofSeconds(4)).withColdFactor(7));
        Timeline<RedisPermits> timeline = new Timeline<>(bucket);
        long now = TraceLine.EPOCH_MICROS;
        timeline.take(now, 1000, 0);
        long paid = now + timeline.peek(now, 1, 0).waitMicros();

        assertThat(timeline.peek(now, 1, 0).fullAfterMicros()).isEqualTo(paid - now + 4_000_000);
        timeline.take(paid + 2_000_000, 1, 0);
        assertThat(timeline.state().storedPermits()).isCloseTo(bucket.maxPermits() / 2 - 1, within(1e-9));
        timeline.take(paid + 1_000_000_000, 1, 0);
        assertThat(timeline.state().storedPermits()).isEqualTo(bucket.maxPermits() - 1);
    }

    /** How far ahead a request reserves. */
    private static long costOf(Timeline<RedisPermits> timeline, long permits) {
        long now = TraceLine.EPOCH_MICROS;
        long before = timeline.peek(now, 1, 0).waitMicros();
        timeline.take(now, permits, Long.MAX_VALUE);
        return timeline.peek(now, 1, 0).waitMicros() - before;
    }
}
