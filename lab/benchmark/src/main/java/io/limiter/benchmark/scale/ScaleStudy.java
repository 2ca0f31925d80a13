package io.limiter.benchmark.scale;

import io.limiter.benchmark.report.Environment;
import io.limiter.benchmark.scale.Simulation.Result;
import io.limiter.benchmark.scale.Totals.By;
import io.limiter.faults.report.Evidence;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the tables of docs/scale.md and of this module's scale.md, each between {@code <!-- name -->} and {@code <!-- /name -->}:
 * {@code mvn -q compile -Pscale}.
 */
public final class ScaleStudy {

    private static final long SEED = 42;
    private static final long WARM_UP_NANOS = 500_000_000;
    private static final long MEASURED_NANOS = 1_000_000_000;
    private static final double MILLION = 1e6;
    private static final String HOT =
            "one key, 1 million requests/s | calls/s | requests per call | its shard | p50 ms | p99 ms";

    private ScaleStudy() {}

    /**
     * The arguments are the page and this module's scale.md, and the names of tables if not all are to be written again. Without
     * arguments all are only printed.
     */
    public static void main(String[] args) throws IOException {
        Map<String, Supplier<String>> tables = new LinkedHashMap<>();
        tables.put("wide", ScaleStudy::wide);
        tables.put("hot", ScaleStudy::hot);
        Map<String, Supplier<String>> ofModule = new LinkedHashMap<>();
        ofModule.put("prefetch", DemandTable::rows);
        ofModule.put(
                "compared",
                () -> DemandTable.compared(
                        scenario -> new Simulation(scenario, SEED).run(WARM_UP_NANOS, MEASURED_NANOS)));
        ofModule.put("ramps", DemandTable::ramps);
        ofModule.put("network", ScaleStudy::network);
        ofModule.put("limited", ScaleStudy::limited);
        ofModule.put("lost", ScaleStudy::lost);
        ofModule.put("split", ScaleStudy::split);
        ofModule.put("shares", ShareTable::rows);
        List<String> all = List.of(args);
        List<String> names = all.subList(Math.min(2, all.size()), all.size());
        write(all.isEmpty() ? null : Path.of(all.get(0)), tables, names);
        write(all.isEmpty() ? null : Path.of(all.get(1)), ofModule, names);
    }

    private static void write(@Nullable Path page, Map<String, Supplier<String>> tables, List<String> names)
            throws IOException {
        Map<String, String> written = new LinkedHashMap<>();
        tables.forEach((name, table) -> {
            if (names.isEmpty() || names.contains(name)) {
                written.put(name, table.get());
                System.out.println(written.get(name));
            }
        });
        if (page != null) {
            write(page, written);
        }
    }

    private static void write(Path page, Map<String, String> tables) throws IOException {
        Files.writeString(
                page,
                inserted(
                        Files.readString(page),
                        tables,
                        Evidence.here("no server", Environment.CODE).toString()));
    }

    /** @param evidence of what code the tables are, which is not shown */
    static String inserted(String page, Map<String, String> tables, String evidence) {
        String changed = page;
        for (Map.Entry<String, String> table : tables.entrySet()) {
            String start = "<!-- " + table.getKey() + " -->\n";
            String end = "<!-- /" + table.getKey() + " -->";
            Matcher block = Pattern.compile(Pattern.quote(start) + ".*?" + Pattern.quote(end), Pattern.DOTALL)
                    .matcher(changed);
            if (!block.find()) {
                throw new IllegalStateException(
                        "the page has no place for the table " + table.getKey() + ": add " + start + end);
            }
            changed = block.replaceFirst(
                    Matcher.quoteReplacement(start + "<!-- " + evidence + " -->\n" + table.getValue() + end));
        }
        return changed;
    }

    private static String wide() {
        return table(
                "10 million keys | calls/s | requests per call | busiest shard | average shard | p50 ms | p99 ms",
                MEASURED_NANOS,
                result -> row(
                        "%,.0f | %.2f | %.0f %% | %.0f %% | %.2f | %.2f",
                        rounded(result.callsPerSecond()),
                        result.requestsPerCall(),
                        100 * result.busiest(),
                        100 * result.averageBusy(),
                        result.wide().latencyMillis(50),
                        result.wide().latencyMillis(99)),
                wide("one Redis, 1,000 instances, 100,000 requests/s", 100_000, at -> at.shards = 1),
                wide(
                        "32 shards, 1,000 instances, 3 million requests/s, a hash tag for each key",
                        3 * MILLION,
                        at -> {}),
                wide("the same, 64 hash tags", 3 * MILLION, at -> at.wideTags = 64),
                wide("by Zipf's law, a hash tag for each key", 3 * MILLION, at -> at.zipf = true),
                wide("by Zipf's law, 64 hash tags", 3 * MILLION, at -> {
                    at.zipf = true;
                    at.wideTags = 64;
                }));
    }

    private static String hot() {
        return hotTable(
                hot("10 instances", 2 * MILLION, at -> at.instances = 10),
                hot("1,000 instances", 2 * MILLION, at -> {}),
                hot("1,000 instances, without group commit", 2 * MILLION, at -> at.groupCommit = false));
    }

    private static String limited() {
        return sourcesTable(
                hot("limit 500,000/s", 500_000, at -> {}),
                hot("limit 100,000/s", 100_000, at -> {}),
                hot("limit 1,000/s", 1_000, at -> {}),
                hot("limit 1,000/s, without rejection cache", 1_000, at -> at.rejectionCache = false));
    }

    private static String network() {
        return table(
                "one Redis, one key | calls/s | requests per call | Redis | p50 ms | p99 ms",
                MEASURED_NANOS,
                ScaleStudy::hotRow,
                Stream.of(100_000.0, MILLION)
                        .flatMap(load -> Stream.of(10, 100, 1_000)
                                .flatMap(instances -> Stream.of(false, true)
                                        .map(furtherCalls -> network(load, instances, furtherCalls))))
                        .toArray(Scenario[]::new));
    }

    private static Scenario network(double perSecond, int instances, boolean furtherCalls) {
        String name = furtherCalls
                ? "and further calls in flight"
                : String.format(
                        Locale.ROOT, "%,d instances, %,.0f requests/s, one call in flight", instances, perSecond);
        return hot(name, 2 * MILLION, at -> {
            at.shards = 1;
            at.instances = instances;
            at.hotPerSecond = perSecond;
            at.networkCalls = furtherCalls;
        });
    }

    private static String split() {
        return hotTable(
                hot("1 key, limit 900,000/s", 900_000, at -> {}),
                hot("4 keys of 225,000/s", 900_000, at -> at.hashTags = 4),
                hot("16 keys of 56,250/s", 900_000, at -> at.hashTags = 16));
    }

    private static String lost() {
        return table(
                "a shard of 32 is lost for 2 of 4 s | its hot key decided locally | other keys decided locally"
                        + " | worst call ms",
                4 * MEASURED_NANOS,
                result -> row(
                        "%.1f %% | %.1f %% | %.0f",
                        100 * result.hot().share(By.LOCAL),
                        100 * result.wide().share(By.LOCAL),
                        Math.max(result.hot().latencyMillis(100), result.wide().latencyMillis(100))),
                losing("a circuit breaker per shard", true),
                losing("one circuit breaker for all", false));
    }

    private static Scenario losing(String name, boolean breakerPerShard) {
        return wide(name, 200_000, at -> {
            at.instances = 100;
            at.hotPerSecond = 20_000;
            at.limitPerSecond = 1e5;
            at.lossNanos = 2_000_000_000L;
            at.breakerPerShard = breakerPerShard;
        });
    }

    private static Scenario wide(String name, double perSecond, Consumer<Scenario> settings) {
        return new Scenario(name, settings.andThen(at -> at.widePerSecond = perSecond));
    }

    private static Scenario hot(String name, double limitPerSecond, Consumer<Scenario> settings) {
        return new Scenario(name, at -> {
            at.hotPerSecond = MILLION;
            at.limitPerSecond = limitPerSecond;
            settings.accept(at);
        });
    }

    private static String hotTable(Scenario... scenarios) {
        return table(
                HOT + " | from Redis | granted, of what one bucket would",
                MEASURED_NANOS,
                result -> hotRow(result)
                        + row(
                                " | %.1f %% | %.1f %%",
                                100 * result.hot().share(By.BACKEND),
                                100 * result.hot().grantedOfPossible()),
                scenarios);
    }

    /** Where not all decisions are those of Redis. */
    private static String sourcesTable(Scenario... scenarios) {
        return table(
                HOT
                        + " | from Redis | without a call | locally | granted, of what one bucket would | most above the refill",
                MEASURED_NANOS,
                result -> hotRow(result)
                        + row(
                                " | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %,.0f of %,.0f",
                                100 * result.hot().share(By.BACKEND),
                                100
                                        * (result.hot().share(By.PREFETCHED)
                                                + result.hot().share(By.CACHED)),
                                100 * result.hot().share(By.LOCAL),
                                100 * result.hot().grantedOfPossible(),
                                rounded(result.hot().worstExcess()),
                                result.scenario().limitPerSecond / 10),
                scenarios);
    }

    private static String hotRow(Result result) {
        return row(
                "%,.0f | %.1f | %.0f %% | %.2f | %.2f",
                rounded(result.callsPerSecond()),
                result.requestsPerCall(),
                100 * result.busiest(),
                result.hot().latencyMillis(50),
                result.hot().latencyMillis(99));
    }

    private static String table(String titles, long nanos, Function<Result, String> row, Scenario... scenarios) {
        int figures = titles.split(" \\| ").length - 1;
        StringBuilder table = new StringBuilder("| " + titles + " |\n| --- |" + " ---: |".repeat(figures) + "\n");
        for (Scenario scenario : scenarios) {
            Result result = new Simulation(scenario, SEED).run(WARM_UP_NANOS, nanos);
            table.append("| " + scenario.name + " | " + row.apply(result) + " |\n");
        }
        return table.toString();
    }

    /** To three significant digits, because a simulation knows no more. */
    static double rounded(double value) {
        return value == 0 ? 0 : new BigDecimal(value).round(new MathContext(3)).doubleValue();
    }

    private static String row(String format, Object... figures) {
        return String.format(Locale.ROOT, format, figures);
    }
}
