package io.limiter.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.TokenBucket;
import io.limiter.scale.DemandFleet.Result;
import io.limiter.scale.DemandFleet.Spread;
import io.limiter.scale.DemandShare.Given;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DemandTest {

    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long PERIOD = 100_000;

    private final DemandShare key = new DemandShare(TokenBucket.perSecond(1_000), PERIOD, 5_000);

    @ParameterizedTest
    @EnumSource
    void a_fleet_grants_what_one_bucket_would_within_the_bound(Spread spread) {
        for (int size : new int[] {10, 100}) {
            for (double demand : new double[] {0.5, 1, 1.5, 10}) {
                Result result = fleet(size, demand, spread).run(SECOND_NANOS / 2, SECOND_NANOS);

                assertThat(result.grantedOfPossible())
                        .as("%s instances, demand %s", size, demand)
                        .isBetween(0.95, 1.05);
                assertThat(result.worstExcess()).isLessThanOrEqualTo(result.mostExcess());
                assertThat(result.callsPerSecond()).isLessThan(5_100);
            }
        }
    }

    @Test
    void the_bound_does_not_grow_with_the_permits_of_instances_that_crash() {
        Result result = fleet(100, 10, Spread.EQUAL).crashing(500).run(SECOND_NANOS / 2, SECOND_NANOS);

        assertThat(result.worstExcess()).isLessThanOrEqualTo(result.mostExcess());
    }

    @Test
    void a_newcomer_gets_the_share_of_half_an_average_call() {
        for (int i = 0; i < 10; i++) {
            assertThat(key.ask(40, 0, 1).permits()).isPositive();
        }

        assertThat(key.ask(1, 0, PERIOD + 1).permits()).isGreaterThan(1);
    }

    @Test
    void demand_is_forgotten_after_two_periods() {
        for (int i = 0; i < 1_000; i++) {
            key.ask(10, 0, 1);
        }

        assertThat(key.ask(10, 0, PERIOD + 1).permits()).isLessThan(10);
        assertThat(key.ask(10, 0, 5 * PERIOD + 1).permits()).isGreaterThanOrEqualTo(10);
    }

    @Test
    void callers_of_one_moment_return_one_after_the_other_and_use_their_permits_until_then() {
        long last = 0;
        for (int i = 0; i < 1_000; i++) {
            Given given = key.ask(1, 0, 1);

            assertThat(given.pauseMicros()).isGreaterThanOrEqualTo(i == 0 ? 1 : last + 200);
            assertThat(given.useMicros()).isEqualTo(Math.max(PERIOD, given.pauseMicros()));
            last = given.pauseMicros();
        }
        assertThat(last).isBetween(200_000L, 220_000L);
    }

    @Test
    void unused_permits_return() {
        int given = key.ask(400, 0, 1).permits();

        assertThat(given).isPositive();
        assertThat(key.ask(400, given, 2).permits()).isGreaterThanOrEqualTo(given / 2);
        assertThat(key.ask(0, 0, 3).permits()).isZero();
    }

    private static DemandFleet fleet(int size, double demand, Spread spread) {
        return new DemandFleet(size, 10_000, Duration.ofSeconds(1), demand, spread, 1);
    }
}
