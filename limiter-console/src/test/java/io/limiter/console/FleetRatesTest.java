package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetRatesTest {

    private final FleetRates rates = new FleetRates();

    private static InstanceReport report(String instance, double second, long granted, long rejected) {
        return report(instance, second, granted, rejected, "50/s", "");
    }

    private static InstanceReport report(
            String instance, double second, long granted, long rejected, String definition, String notApplied) {
        return new InstanceReport(
                instance,
                Instant.ofEpochMilli(Math.round(second * 1000)),
                3,
                "available",
                List.of(new LimitReport(
                        "rateLimit:",
                        "search",
                        "token-bucket",
                        definition,
                        LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(50),
                        granted,
                        rejected,
                        0,
                        // Each granted request waited for 0.2 s.
                        granted,
                        Duration.ofMillis(200 * granted),
                        Map.of("REDIS", granted, "REJECTION_CACHE", rejected),
                        List.of(),
                        notApplied)));
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
    void an_instance_that_has_started_anew_has_no_negative_rate() {
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
    void the_line_goes_two_minutes_back() {
        for (int second = 0; second < 3 * FleetRates.POINTS; second++) {
            rates.add(List.of(report("a", second, 10L * second, second)));
        }
        assertThat(rates.series().get(0).granted()).hasSize(FleetRates.POINTS).containsOnly(10.0);
        assertThat(rates.series().get(0).rejected()).containsOnly(1.0);
    }

    @Test
    void what_instances_do_differently_is_shown() {
        rates.add(List.of(report("a", 10, 0, 0), report("b", 10, 0, 0)));
        assertThat(limit().differs()).isFalse();
        rates.add(List.of(report("a", 11, 0, 0), report("b", 11, 0, 0, "20/s", "it is no token bucket")));
        assertThat(limit().differs()).isTrue();
        assertThat(limit().notApplied())
                .containsExactly(new Wire.Inapplicable("b", "rateLimit:", "search", "it is no token bucket"));
        assertThat(rates.instances().get(1).notApplied()).hasSize(1);
    }
}
