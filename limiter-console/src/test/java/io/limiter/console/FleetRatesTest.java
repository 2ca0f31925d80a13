package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.limiter.algorithm.LimitKind;
import io.limiter.console.internal.wire.Wire;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LimitReport.Rate;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FleetRatesTest {

    private final FleetRates rates = new FleetRates();

    private static InstanceReport report(String instance, double second, long granted, long rejected) {
        return report(instance, second, granted, rejected, "50/s", "");
    }

    private static InstanceReport report(
            String instance, double second, long granted, long rejected, String definition, String notApplied) {
        return report(instance, second, granted, rejected, definition, notApplied, Map.of());
    }

    private static InstanceReport report(
            String instance,
            double second,
            long granted,
            long rejected,
            String definition,
            String notApplied,
            Map<Instant, Rate> past) {
        return InstanceReport.of(
                instance,
                Instant.ofEpochMilli(Math.round(second * 1000)),
                3,
                "available",
                List.of(LimitReport.of(
                        "rateLimit:",
                        "search.gold",
                        "search",
                        "token-bucket",
                        definition,
                        LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(50),
                        granted,
                        rejected,
                        0,
                        // Each granted request waited for 0.2 s.
                        granted,
                        Duration.ofMillis(200 * granted),
                        Map.of("REDIS", granted, "REJECTION_CACHE", rejected),
                        List.of(),
                        List.of(),
                        notApplied,
                        past)),
                List.of());
    }

    /** One of a time when nothing is counted, with so many granted requests per second in each step from a second on. */
    private static InstanceReport withPast(String instance, double second, int firstStep, double... granted) {
        Map<Instant, Rate> past = new HashMap<>();
        for (int i = 0; i < granted.length; i++) {
            past.put(Instant.ofEpochSecond(firstStep + 20 * i), Rate.of(granted[i], granted[i] / 2));
        }
        return report(instance, second, 0, 0, "50/s", "", past);
    }

    private List<Double> granted() {
        return rates.series().get(0).granted();
    }

    private static List<Double> seconds(int times, double rate) {
        return Collections.nCopies(times, rate);
    }

    private Wire.Limit limit() {
        return rates.limits().get(0);
    }

    @Test
    void rates_are_sums_over_the_instances() {
        rates.add(List.of(report("a", 10, 100, 0), report("b", 10.5, 7, 7)));
        assertThat(limit().granted()).isNull();
        rates.add(List.of(report("a", 11, 130, 4), report("b", 12.5, 17, 7)));
        assertThat(limit().granted()).isEqualTo(35);
        assertThat(limit().rejected()).isEqualTo(4);
        assertThat(limit().waits()).isEqualTo(35);
        assertThat(limit().meanWait()).isCloseTo(0.2, within(1e-9));
        assertThat(limit().sources()).isEqualTo(Map.of("REDIS", 35.0, "REJECTION_CACHE", 4.0));
        assertThat(rates.instances()).extracting(Wire.Instance::granted).containsExactly(30.0, 5.0);
        assertThat(rates.at()).isEqualTo(Instant.ofEpochMilli(12_500));
        assertThat(limit().limiter()).as("whose keys live limits are of").isEqualTo("search");
    }

    @Test
    void a_report_that_was_seen_keeps_its_rate() {
        rates.add(List.of(report("a", 10, 100, 0)));
        rates.add(List.of(report("a", 11, 150, 0)));
        rates.add(List.of(report("a", 11, 150, 0)));
        assertThat(limit().granted()).isEqualTo(50);
        assertThat(rates.series().get(0).granted()).containsExactly(50.0, 50.0);
    }

    @Test
    void an_instance_that_has_restarted_has_no_negative_rate() {
        rates.add(List.of(report("a", 10, 100, 50), report("b", 10, 0, 0)));
        rates.add(List.of(report("a", 11, 3, 1), report("b", 11, 20, 0)));
        assertThat(limit().granted()).isEqualTo(20);
        rates.add(List.of(report("a", 12, 13, 1), report("b", 12, 40, 0)));
        assertThat(limit().granted()).isEqualTo(30);
    }

    @Test
    void without_waits_there_is_no_mean() {
        rates.add(List.of(report("a", 10, 5, 0)));
        assertThat(limit().waits()).isNull();
        rates.add(List.of(report("a", 11, 5, 3)));
        assertThat(limit().waits()).isZero();
        assertThat(limit().meanWait()).isNull();
    }

    @Test
    void an_instance_that_is_gone_counts_no_longer() {
        rates.add(List.of(report("a", 10, 0, 0), report("b", 10, 0, 0)));
        rates.add(List.of(report("a", 11, 10, 0), report("b", 11, 10, 0)));
        rates.add(List.of(report("a", 12, 20, 0)));
        assertThat(limit().granted()).isEqualTo(10);
        assertThat(rates.instances()).hasSize(1);
        rates.add(List.of());
        assertThat(rates.limits()).isEmpty();
        assertThat(rates.series()).isEmpty();
    }

    @Test
    void the_line_goes_ten_minutes_back() {
        for (int second = 0; second < 3 * FleetRates.POINTS; second++) {
            rates.add(List.of(report("a", second, 10L * second, second)));
        }
        assertThat(rates.series().get(0).granted()).hasSize(FleetRates.POINTS).containsOnly(10.0);
        assertThat(rates.series().get(0).rejected()).containsOnly(1.0);
    }

    @Test
    void before_the_line_is_the_past_of_all_instances() {
        // The other instance started later.
        assertThat(rates.add(List.of(withPast("a", 1047, 1000, 1, 2, 3), withPast("b", 1046, 1020, 10, 20))))
                .isTrue();
        assertThat(granted()).containsExactlyElementsOf(concat(seconds(20, 1), seconds(20, 12), seconds(7, 23)));
        assertThat(rates.series().get(0).rejected()).startsWith(0.5).endsWith(11.5);
        rates.add(List.of(report("a", 1048, 0, 0), report("b", 1047, 0, 0)));
        assertThat(granted())
                .containsExactlyElementsOf(concat(seconds(20, 1), seconds(20, 12), seconds(8, 23), seconds(1, 0)));
    }

    @Test
    void a_past_that_is_reported_later_is_added() {
        rates.add(List.of(report("a", 1045, 0, 0), withPast("b", 1045, 1020, 10, 20)));
        rates.add(List.of(report("a", 1046, 5, 0), report("b", 1046, 0, 0)));
        assertThat(granted()).containsExactlyElementsOf(concat(seconds(20, 10), seconds(6, 20), seconds(1, 5)));
        assertThat(rates.add(List.of(withPast("a", 1060, 1020, 1, 2, 9), report("b", 1060, 0, 0))))
                .isTrue();
        assertThat(granted().subList(0, 27))
                .containsExactlyElementsOf(concat(seconds(20, 11), seconds(6, 22), seconds(1, 5)));
        assertThat(rates.add(List.of(withPast("a", 1061, 1020, 1, 2, 9))))
                .as("nothing new")
                .isFalse();
    }

    @Test
    void the_past_of_an_instance_that_is_gone_stays() {
        rates.add(List.of(report("a", 1040, 0, 0), withPast("b", 1040, 1020, 10)));
        rates.add(List.of(report("a", 1041, 0, 0)));
        assertThat(granted()).containsExactlyElementsOf(concat(seconds(21, 10), seconds(1, 0)));
    }

    @Test
    void past_and_line_are_ten_minutes_long() {
        double[] steps = new double[31];
        Arrays.fill(steps, 1);
        rates.add(List.of(withPast("a", 1605, 1000, steps)));
        assertThat(granted()).containsExactlyElementsOf(seconds(600, 1));
        for (int second = 1; second <= 599; second++) {
            rates.add(List.of(withPast("a", 1605 + second, 1000, steps)));
        }
        assertThat(granted()).containsExactlyElementsOf(concat(seconds(1, 1), seconds(599, 0)));
        rates.add(List.of(withPast("a", 2205, 1000, steps)));
        assertThat(rates.add(List.of(withPast("a", 2206, 1000, steps)))).isFalse();
        assertThat(granted()).containsExactlyElementsOf(seconds(600, 0));
    }

    @SafeVarargs
    private static List<Double> concat(List<Double>... parts) {
        return Stream.of(parts).flatMap(List::stream).toList();
    }

    @Test
    void what_instances_do_differently_is_shown() {
        rates.add(List.of(report("a", 10, 0, 0), report("b", 10, 0, 0)));
        assertThat(limit().differs()).isFalse();
        rates.add(List.of(report("a", 11, 0, 0), report("b", 11, 0, 0, "20/s", "it is no token bucket")));
        assertThat(limit().differs()).isTrue();
        assertThat(limit().notApplied())
                .containsExactly(new Wire.Inapplicable("b", "rateLimit:", "search.gold", "it is no token bucket"));
        assertThat(rates.instances().get(1).notApplied()).hasSize(1);
    }
}
