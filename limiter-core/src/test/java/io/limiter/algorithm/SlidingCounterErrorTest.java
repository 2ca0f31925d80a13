package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Figures;
import io.limiter.testing.Seed;
import io.limiter.testing.Timeline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The error of a {@link SlidingCounter}: the most permits in any interval of one period, the share of requests that
 * were rejected although they fit, and its grants compared with those of a {@link SlidingLog}. Measures the {@linkplain Figures
 * figures} of {@code docs/limits.md}, and fails if they become worse.
 */
class SlidingCounterErrorTest {

    private static final int LIMIT = 100;
    private static final SlidingCounter COUNTER = SlidingCounter.of(LIMIT, Duration.ofSeconds(60));
    private static final double PERIOD = COUNTER.periodMicros();

    /** The start of a window. */
    private static final double START = Math.floor(1.7e15 / PERIOD) * PERIOD;

    private static final int PERIODS = 2000;

    /** The traffic that the page shows. */
    private static final Set<String> SHOWN =
            Set.of("random, at the limit", "bursts of 50 twice a period", "adversarial");

    private final Random random = Seed.random();

    @Test
    void at_random_below_the_limit() {
        check("random, half the limit", at -> at + exponential(0.5), 0.1, 0.01, 0.99);
    }

    @Test
    void at_random_at_the_limit() {
        check("random, at the limit", at -> at + exponential(1.0), 0.3, 0.1, 0.95);
    }

    @Test
    void at_random_far_above_the_limit() {
        check("random, five times the limit", at -> at + exponential(5.0), 0.1, 0.8, 0.95);
    }

    @Test
    void evenly_above_the_limit() {
        check("even, twice the limit", at -> at + PERIOD / LIMIT / 2, 0.02, 0.6, 0.97);
    }

    @Test
    void in_bursts_that_come_at_any_moment() {
        double[] burst = {START};
        check(
                "bursts of 50 twice a period",
                at -> {
                    if (random.nextInt(50) > 0) {
                        return at + 1000;
                    }
                    burst[0] += PERIOD / 2 * (0.5 + random.nextDouble());
                    return Math.max(at, burst[0]);
                },
                1.0,
                0.4,
                0.9);
    }

    @Test
    void by_a_caller_who_exploits_the_windows() {
        // The whole limit at the end of a window, then permits as fast as it fades, then an idle window.
        check(
                "adversarial",
                at -> {
                    double window = Math.floor((at - START) / PERIOD) % 3;
                    double elapsed = (at - START) % PERIOD;
                    if (window == 0 && elapsed < PERIOD - 1000) {
                        return at - elapsed + PERIOD - 1000;
                    }
                    if (window == 2) {
                        return at - elapsed + 2 * PERIOD - 1000;
                    }
                    return window == 0 ? at + 5 : at + PERIOD / LIMIT / 10;
                },
                1.0,
                0.2,
                0.9);
    }

    private double exponential(double load) {
        return Math.ceil(-Math.log(1 - random.nextDouble()) * PERIOD / LIMIT / load);
    }

    private void check(String traffic, DoubleUnaryOperator next, double mostExcess, double mostRejected, double least) {
        Timeline<SlidingCounter.State> counter = new Timeline<>(COUNTER);
        Timeline<SlidingLog.State> log = new Timeline<>(SlidingLog.of(LIMIT, COUNTER.period()));
        Deque<Double> granted = new ArrayDeque<>();
        int most = 0;
        long requests = 0;
        long rejected = 0;
        long grants = 0;
        long exact = 0;
        for (double at = START; at < START + PERIODS * PERIOD; at = Math.floor(next.applyAsDouble(at))) {
            while (!granted.isEmpty() && granted.getFirst() <= at - PERIOD) {
                granted.removeFirst();
            }
            boolean fits = granted.size() < LIMIT;
            requests++;
            exact += log.take((long) at, 1, 0).isGranted() ? 1 : 0;
            if (counter.take((long) at, 1, 0).isGranted()) {
                grants++;
                granted.addLast(at);
            } else if (fits) {
                rejected++;
            }
            most = Math.max(most, granted.size());
        }
        double excess = Math.max(0, most - LIMIT) / (double) LIMIT;
        double wronglyRejected = rejected / (double) requests;
        double share = grants / (double) exact;
        System.out.println(String.format(
                Locale.ROOT,
                "counter, %-27s at most %3d of %d in a period (+%.0f %%), %.1f %% of requests rejected that fit, %.1f %% of"
                        + " what a log grants",
                traffic,
                most,
                LIMIT,
                100 * excess,
                100 * wronglyRejected,
                100 * share));
        if (SHOWN.contains(traffic)) {
            record(traffic + " most permits in a period", Integer.toString(most));
            record(traffic + " rejected although they fit", Figures.oneDecimal(100 * wronglyRejected) + " %");
            record(traffic + " grants compared with a log", Figures.oneDecimal(100 * share) + " %");
        }
        assertThat(excess).as(Seed.hint() + traffic).isLessThanOrEqualTo(mostExcess);
        assertThat(wronglyRejected).as(Seed.hint() + traffic).isLessThanOrEqualTo(mostRejected);
        assertThat(share).as(Seed.hint() + traffic).isGreaterThanOrEqualTo(least);
    }

    private static void record(String figure, String value) {
        Figures.record("docs/limits.md", "SlidingCounter " + figure.replace(",", ""), value, "no server");
    }
}
