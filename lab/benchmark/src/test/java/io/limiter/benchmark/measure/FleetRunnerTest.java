package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.limiter.benchmark.load.FleetLoad;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.measure.FleetRunner.Result;
import io.limiter.benchmark.measure.FleetRunner.Round;
import java.util.List;
import org.junit.jupiter.api.Test;

class FleetRunnerTest {

    private static final FleetLoad HOT = new FleetLoad(KeySpace.HOT, 2, 10_000, 2_000);
    private static final FleetLoad FEW_PERMITS = new FleetLoad(KeySpace.HOT, 2, 100, 500);

    @Test
    void only_a_key_whose_limit_is_high_enough_is_prefetched() throws InterruptedException {
        List<Result> results;
        try (BenchmarkRedis redis = BenchmarkRedis.open("")) {
            results = new FleetRunner(redis, new Timing(1, 0.3, 0.1)).run(List.of(List.of(HOT, FEW_PERMITS)));
        }
        assertThat(results)
                .extracting(Result::load, Result::prefetching, Result::problem)
                .containsExactly(
                        tuple(HOT, false, ""),
                        tuple(HOT, true, ""),
                        tuple(FEW_PERMITS, false, ""),
                        tuple(FEW_PERMITS, true, ""));
        assertThat(results)
                .extracting(result -> round(result).prefetched() > 0)
                .containsExactly(false, true, false, false);
        assertThat(results).allSatisfy(result -> {
            assertThat(round(result).calls()).isPositive();
            assertThat(round(result).latency().p50()).isPositive();
        });
    }

    @Test
    void more_than_the_bound_is_a_problem() {
        assertThat(withAboveRefill(HOT, true, 10_500).problem()).isEmpty();
        assertThat(withAboveRefill(HOT, false, 10_500).problem())
                .isEqualTo(
                        "limit 10,000/s, 2,000/s for one key, 2 instances: 10500.0 were granted beyond the refill, where"
                                + " at most 10000.0 may be");
        assertThat(withAboveRefill(FEW_PERMITS, true, 105.5).problem())
                .isEqualTo(
                        "limit 100/s, 500/s for one key, 2 instances, prefetch: 105.5 were granted beyond the refill,"
                                + " where at most 105.0 may be");
    }

    private static Round round(Result result) {
        return result.rounds().get(0);
    }

    private static Result withAboveRefill(FleetLoad load, boolean prefetching, double aboveRefill) {
        return new Result(
                load,
                prefetching,
                List.of(
                        new Round(new Slice.Latency(1, 2, 3), 1, 0, 1, 0, 1),
                        new Round(new Slice.Latency(1, 2, 3), 1, 0, 1, 0, aboveRefill)));
    }
}
