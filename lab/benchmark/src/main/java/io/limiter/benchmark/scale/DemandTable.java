package io.limiter.benchmark.scale;

import io.limiter.Prefetch;
import io.limiter.benchmark.scale.DemandFleet.Result;
import io.limiter.benchmark.scale.DemandFleet.Spread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The tables of prefetch by demand, for limits whose bucket holds the permits of a second. */
final class DemandTable {

    private static final long[] SEEDS = {42, 43};
    private static final Duration TIME = Duration.ofMillis(100);
    private static final Duration CAPACITY = Duration.ofSeconds(1);
    private static final double[] DEMANDS = {0.5, 1, 1.5, 10};
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final int FEW_CALLS = 5_000;
    private static final int MANY_CALLS = 15_000;
    private static final int FEW_INSTANCES = 1_000;

    private DemandTable() {}

    /** By size and spread, for each demand the least that was granted with any seed. */
    static String rows() {
        StringBuilder table = new StringBuilder("| instances | granted, of what one bucket would, at a demand of 50 %"
                + " | 100 % | 150 % | 1,000 % | most calls/s | p99 ms | most above the refill | bound |\n"
                + "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        for (int size : new int[] {10, 100, 1_000, 10_000}) {
            for (Spread spread : Spread.values()) {
                table.append(row(size, 100_000, spread, size > FEW_INSTANCES ? MANY_CALLS : FEW_CALLS));
            }
        }
        return table.append(row(10_000, 100_000, Spread.EQUAL, FEW_CALLS)).toString();
    }

    private static String row(int size, double limit, Spread spread, int calls) {
        String name = String.format(
                Locale.ROOT,
                "%,d, %s%s",
                size,
                spread.name().toLowerCase(Locale.ROOT),
                size > FEW_INSTANCES ? String.format(Locale.ROOT, ", %,d calls/s", calls) : "");
        List<String> granted = new ArrayList<>();
        List<Result> all = new ArrayList<>();
        for (double demand : DEMANDS) {
            List<Result> results = new ArrayList<>();
            for (long seed : SEEDS) {
                results.add(fleet(size, limit, calls, demand, spread, seed).run(3 * SECOND_NANOS, SECOND_NANOS));
            }
            granted.add(granted(results));
            all.addAll(results);
        }
        return "| " + name + " | " + String.join(" | ", granted) + " | " + figures(all) + " |\n";
    }

    /** Compared with decisions in Redis, and with reports. */
    static String compared(Function<Scenario, Simulation.Result> exactly) {
        StringBuilder table =
                new StringBuilder("| limit 500,000/s, 1 million requests/s | instances | granted, of what one"
                        + " bucket would | calls/s | p99 ms | most above the refill | bound |\n"
                        + "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        for (int size : new int[] {10, 100, 1_000, 10_000}) {
            Simulation.Result exact = exactly.apply(new Scenario("exact", at -> {
                at.instances = size;
                at.shards = 1;
                at.hotPerSecond = 1e6;
                at.limitPerSecond = 500_000;
            }));
            table.append(String.format(
                    Locale.ROOT,
                    "| exact | %,d | %.1f %% | %,.0f | %.2f | %,.0f | %,.0f |\n",
                    size,
                    100 * exact.hot().grantedOfPossible(),
                    ScaleStudy.rounded(exact.callsPerSecond()),
                    exact.hot().latencyMillis(99),
                    ScaleStudy.rounded(exact.hot().worstExcess()),
                    50_000.0));
        }
        for (int size : new int[] {10, 100, 1_000, 10_000}) {
            int calls = size > FEW_INSTANCES ? MANY_CALLS : FEW_CALLS;
            List<Result> results = new ArrayList<>();
            for (long seed : SEEDS) {
                results.add(fleet(size, 500_000, calls, 2, Spread.EQUAL, seed).run(2 * SECOND_NANOS, SECOND_NANOS / 2));
            }
            table.append(String.format(
                    Locale.ROOT, "| prefetch | %,d | %s | %s |\n", size, granted(results), figures(results)));
        }
        for (int size : new int[] {10, 100, 1_000, 10_000}) {
            List<Result> results = new ArrayList<>();
            for (long seed : SEEDS) {
                results.add(fleet(size, 500_000, FEW_CALLS, 2, Spread.EQUAL, seed)
                        .reporting()
                        .run(2 * SECOND_NANOS, SECOND_NANOS / 2));
            }
            String figures = figures(results);
            table.append(String.format(
                    Locale.ROOT,
                    "| reports every 100 ms | %,d | %s | %s | none |\n",
                    size,
                    granted(results),
                    figures.substring(0, figures.lastIndexOf(" | "))));
        }
        return table.toString();
    }

    /** Demand that changes. */
    static String ramps() {
        StringBuilder table =
                new StringBuilder("| 1,000 instances, limit 100,000/s | granted, of what one bucket would |"
                        + " most calls/s | p99 ms | most above the refill | bound |\n"
                        + "| --- | ---: | ---: | ---: | ---: | ---: |\n");
        table.append(ramp("the fleet starts, demand 1,000 %, its first second", 0, 0, 10));
        table.append(ramp("from 50 % to 150 %, the second after", 3, 0, 0.5, 0.5, 0.5, 1.5));
        table.append(ramp("1,000 % after 2 s of silence, the second after", 4, 0, 1.5, 1.5, 0, 0, 10));
        table.append(ramp("from 1,000 % to 50 %, the second after", 3, 0, 10, 10, 10, 0.5));
        return table.append(ramp("150 %, 100 instances crash each second", 3, 100, 1.5))
                .toString();
    }

    private static String ramp(String name, int fromSecond, double crashes, double... demandBySecond) {
        List<Result> results = new ArrayList<>();
        for (long seed : SEEDS) {
            DemandFleet fleet =
                    fleet(1_000, 100_000, FEW_CALLS, 1, Spread.EQUAL, seed).ramp(demandBySecond);
            if (crashes > 0) {
                fleet.crashing(crashes);
            }
            results.add(fleet.run(fromSecond * SECOND_NANOS, SECOND_NANOS));
        }
        return "| " + name + " | " + granted(results) + " | " + figures(results) + " |\n";
    }

    private static DemandFleet fleet(int size, double limit, int calls, double demand, Spread spread, long seed) {
        return new DemandFleet(
                size, limit, CAPACITY, Prefetch.of(TIME).withCallsPerSecond(calls), demand, spread, seed);
    }

    /** The least of all seeds. */
    private static String granted(List<Result> results) {
        double least =
                results.stream().mapToDouble(Result::grantedOfPossible).min().orElseThrow();
        return String.format(Locale.ROOT, "%.1f %%", 100 * least);
    }

    private static String figures(List<Result> results) {
        return String.format(
                Locale.ROOT,
                "%,.0f | %.2f | %,.0f | %,.0f",
                ScaleStudy.rounded(results.stream()
                        .mapToDouble(Result::callsPerSecond)
                        .max()
                        .orElseThrow()),
                results.stream().mapToDouble(Result::p99Millis).max().orElseThrow(),
                ScaleStudy.rounded(
                        results.stream().mapToDouble(Result::worstExcess).max().orElseThrow()),
                results.get(0).mostExcess());
    }
}
