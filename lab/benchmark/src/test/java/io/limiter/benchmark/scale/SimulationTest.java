package io.limiter.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.benchmark.scale.Totals.By;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SimulationTest {

    private static final long TENTH_NANOS = 100_000_000;

    @Test
    void one_seed_gives_one_result() {
        Simulation.Result first = run(limited(), 7);
        Simulation.Result second = run(limited(), 7);

        assertThat(second.callsPerSecond()).isEqualTo(first.callsPerSecond());
        assertThat(second.hot().requests()).isEqualTo(first.hot().requests());
        assertThat(run(limited(), 8).hot().requests()).isNotEqualTo(first.hot().requests());
    }

    @Test
    void a_fleet_grants_no_more_than_one_bucket_would() {
        Simulation.Result result = run(limited(), 1);

        assertThat(result.hot().share(By.LOCAL)).isZero();
        assertThat(result.hot().worstExcess()).isBetween(900.0, 1_000.001);
        assertThat(result.hot().grantedOfPossible()).isBetween(0.95, 1.05);
    }

    @Test
    void group_commit_saves_calls_and_keeps_a_saturated_shard_in_time() {
        Simulation.Result with = run(busy(true), 1);
        Simulation.Result without = run(busy(false), 1);

        assertThat(with.requestsPerCall()).isGreaterThan(2);
        assertThat(with.hot().share(By.LOCAL)).isZero();
        assertThat(without.requestsPerCall()).isLessThan(with.requestsPerCall());
        assertThat(without.hot().latencyMillis(99)).isGreaterThan(with.hot().latencyMillis(99));
    }

    @Test
    void a_lost_shard_takes_its_own_keys_only() {
        assertThat(new Simulation(losing(true), 1)
                        .run(0, 6 * TENTH_NANOS)
                        .wide()
                        .share(By.LOCAL))
                .isBetween(0.001, 0.04);
        assertThat(new Simulation(losing(false), 1)
                        .run(0, 6 * TENTH_NANOS)
                        .wide()
                        .share(By.LOCAL))
                .isGreaterThan(0.15);
    }

    @Test
    void tables_replace_those_of_the_page() {
        assertThat(ScaleStudy.inserted(
                        "a\n<!-- hot -->\nold\n<!-- /hot -->\nb", Map.of("hot", "| new |\n"), "commit 1"))
                .isEqualTo("a\n<!-- hot -->\n<!-- commit 1 -->\n| new |\n<!-- /hot -->\nb");
        assertThatThrownBy(() -> ScaleStudy.inserted("a", Map.of("hot", ""), "commit 1"))
                .hasMessageContaining("no place for the table hot");
    }

    /** 20,000 requests a second for 10,000 permits. */
    private static Scenario limited() {
        return hot(20, 20_000, 10_000, at -> {});
    }

    /** More than a shard could decide one by one. */
    private static Scenario busy(boolean groupCommit) {
        return hot(50, 400_000, 1e6, at -> at.groupCommit = groupCommit);
    }

    private static Scenario losing(boolean breakerPerShard) {
        return hot(5, 2_000, 1e5, at -> {
            at.widePerSecond = 20_000;
            at.lossNanos = 2 * TENTH_NANOS;
            at.breakerPerShard = breakerPerShard;
        });
    }

    private static Scenario hot(int instances, double perSecond, double limitPerSecond, Consumer<Scenario> settings) {
        return new Scenario("", settings.andThen(at -> {
            at.instances = instances;
            at.hotPerSecond = perSecond;
            at.limitPerSecond = limitPerSecond;
        }));
    }

    private static Simulation.Result run(Scenario scenario, long seed) {
        return new Simulation(scenario, seed).run(2 * TENTH_NANOS, 2 * TENTH_NANOS);
    }
}
