package io.limiter.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Prefetch;
import io.limiter.benchmark.scale.DemandFleet.Result;
import io.limiter.benchmark.scale.DemandFleet.Spread;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DemandTest {

    private static final long SECOND_NANOS = 1_000_000_000;

    @ParameterizedTest
    @EnumSource
    void a_fleet_grants_what_one_bucket_would_within_the_bound(Spread spread) {
        for (int size : new int[] {10, 100}) {
            for (double demand : new double[] {0.5, 1, 1.5, 10}) {
                Result result = fleet(size, demand, spread).run(3 * SECOND_NANOS, SECOND_NANOS);

                assertThat(result.grantedOfPossible())
                        .as("%s instances, demand %s", size, demand)
                        .isBetween(0.93, 1.07);
                assertThat(result.worstExcess()).isLessThanOrEqualTo(result.mostExcess());
                assertThat(result.callsPerSecond()).isLessThan(5_100);
            }
        }
    }

    @Test
    void the_bound_does_not_grow_with_the_number_of_instances() {
        for (int size : new int[] {100, 1_000, 4_000}) {
            Result result = fleet(size, 10, Spread.BURSTY, 1_000).run(SECOND_NANOS, 2 * SECOND_NANOS);

            assertThat(result.worstExcess()).as("%s instances", size).isLessThanOrEqualTo(result.mostExcess());
            assertThat(result.grantedOfPossible()).isPositive();
        }
    }

    @Test
    void the_bound_does_not_grow_with_the_permits_of_instances_that_crash() {
        Result result = fleet(100, 10, Spread.EQUAL).crashing(500).run(SECOND_NANOS / 2, SECOND_NANOS);

        assertThat(result.worstExcess()).isLessThanOrEqualTo(result.mostExcess());
    }

    private static DemandFleet fleet(int size, double demand, Spread spread) {
        return fleet(size, demand, spread, 5_000);
    }

    private static DemandFleet fleet(int size, double demand, Spread spread, int callsPerSecond) {
        Prefetch terms = Prefetch.of(Duration.ofMillis(100)).withCallsPerSecond(callsPerSecond);
        return new DemandFleet(size, 10_000, Duration.ofSeconds(1), terms, demand, spread, 1);
    }
}
