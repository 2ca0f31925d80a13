package io.limiter.benchmark.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the tables of docs/scale.md, each between {@code <!-- name -->} and {@code <!-- /name -->}:
 * {@code mvn -q compile -Pscale}.
 */
public final class ScaleStudy {

    private static final long SEED = 42;
    private static final long WARM_UP_NANOS = 500_000_000;
    private static final long MEASURED_NANOS = 1_000_000_000;
    private static final double MILLION = 1e6;

    private ScaleStudy() {}

    /** The first argument is the page; without one the tables are only printed. */
    public static void main(String[] args) throws IOException {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("wide", wide());
        tables.put("hot", hot());
        tables.put("limited", limited());
        tables.put("prefetch", prefetch());
        tables.put("split", split());
        tables.put("lost", lost());
        tables.values().forEach(System.out::println);
        if (args.length > 0) {
            Path page = Path.of(args[0]);
            Files.writeString(page, inserted(Files.readString(page), tables));
        }
    }

    static String inserted(String page, Map<String, String> tables) {
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
            changed = block.replaceFirst(Matcher.quoteReplacement(start + table.getValue() + end));
        }
        return changed;
    }

    private static String wide() {
        StringBuilder table = new StringBuilder("""
                | 10 million keys | calls/s | requests per call | busiest shard | average shard | p50 ms | p99 ms |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: |
                """);
        for (Scenario scenario : List.of(
                new Scenario("one Redis, 10 instances, 100,000 requests/s")
                        .shards(1)
                        .instances(10)
                        .wide(100_000, false),
                new Scenario("one Redis, 1,000 instances, 100,000 requests/s")
                        .shards(1)
                        .wide(100_000, false),
                new Scenario("32 shards, 1,000 instances, 1 million requests/s").wide(MILLION, false),
                new Scenario("32 shards, 1,000 instances, 3 million requests/s").wide(3 * MILLION, false),
                new Scenario("the same, by Zipf's law").wide(3 * MILLION, true))) {
            Result result = run(scenario);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %.2f | %.0f %% | %.0f %% | %.2f | %.2f |\n",
                    scenario.name(),
                    result.callsPerSecond(),
                    result.requestsPerCall(),
                    100 * result.busiest(),
                    100 * result.averageBusy(),
                    result.wide().latencyMillis(50),
                    result.wide().latencyMillis(99)));
        }
        return table.toString();
    }

    private static String hot() {
        return hotTable(List.of(
                new Scenario("10 instances").instances(10).hot(MILLION, 2 * MILLION),
                new Scenario("100 instances").instances(100).hot(MILLION, 2 * MILLION),
                new Scenario("1,000 instances").hot(MILLION, 2 * MILLION),
                new Scenario("5,000 instances").instances(5_000).hot(MILLION, 2 * MILLION),
                new Scenario("1,000 instances, without group commit")
                        .hot(MILLION, 2 * MILLION)
                        .withoutGroupCommit()));
    }

    private static String limited() {
        return hotTable(List.of(
                new Scenario("limit 500,000/s").hot(MILLION, 500_000),
                new Scenario("limit 100,000/s").hot(MILLION, 100_000),
                new Scenario("limit 1,000/s").hot(MILLION, 1_000),
                new Scenario("limit 1,000/s, without rejection cache")
                        .hot(MILLION, 1_000)
                        .withoutRejectionCache()));
    }

    private static String prefetch() {
        return hotTable(List.of(
                new Scenario("prefetch 100, limit 2,000,000/s")
                        .hot(MILLION, 2 * MILLION)
                        .prefetch(100),
                new Scenario("prefetch 1,000, limit 2,000,000/s")
                        .hot(MILLION, 2 * MILLION)
                        .prefetch(1_000),
                new Scenario("prefetch 100, limit 500,000/s")
                        .hot(MILLION, 500_000)
                        .prefetch(100),
                new Scenario("prefetch 1,000, limit 500,000/s")
                        .hot(MILLION, 500_000)
                        .prefetch(1_000),
                new Scenario("prefetch 1,000, limit 2,000,000/s, 100 crashes/s")
                        .hot(MILLION, 2 * MILLION)
                        .prefetch(1_000)
                        .crashes(100)));
    }

    private static String split() {
        return hotTable(List.of(
                new Scenario("1 key, limit 900,000/s").hot(MILLION, 900_000),
                new Scenario("4 keys of 225,000/s").hot(MILLION, 900_000).hashTags(4),
                new Scenario("16 keys of 56,250/s").hot(MILLION, 900_000).hashTags(16),
                new Scenario("32 keys, limit 2,000,000/s")
                        .hot(MILLION, 2 * MILLION)
                        .hashTags(32)));
    }

    private static String lost() {
        StringBuilder table = new StringBuilder("""
                | a shard of 32 is lost for 2 of 4 s | its hot key decided locally | other keys decided locally | worst call ms |
                | --- | ---: | ---: | ---: |
                """);
        for (Scenario scenario : List.of(
                new Scenario("a circuit breaker per shard")
                        .instances(100)
                        .hot(20_000, 1e5)
                        .wide(200_000, false)
                        .loses(2_000_000_000L),
                new Scenario("one circuit breaker for all")
                        .instances(100)
                        .hot(20_000, 1e5)
                        .wide(200_000, false)
                        .loses(2_000_000_000L)
                        .oneBreakerForAllShards())) {
            Result result = new Simulation(scenario, CallCost.MEASURED, SEED).run(WARM_UP_NANOS, 4 * MEASURED_NANOS);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %.1f %% | %.1f %% | %.0f |\n",
                    scenario.name(),
                    100 * result.hot().shareOfLocal(),
                    100 * result.wide().shareOfLocal(),
                    Math.max(result.hot().latencyMillis(100), result.wide().latencyMillis(100))));
        }
        return table.toString();
    }

    private static String hotTable(List<Scenario> scenarios) {
        StringBuilder table = new StringBuilder("""
                | one key, 1 million requests/s | calls/s | requests per call | its shard | p50 ms | p99 ms | from Redis \
                | without a call | locally | granted, of what one bucket would | most above the refill |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
                """);
        for (Scenario scenario : scenarios) {
            Result result = run(scenario);
            Totals hot = result.hot();
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %,.0f | %.1f | %.0f %% | %.2f | %.2f | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %,.0f of %,.0f |\n",
                    scenario.name(),
                    result.callsPerSecond(),
                    result.requestsPerCall(),
                    100 * result.busiest(),
                    hot.latencyMillis(50),
                    hot.latencyMillis(99),
                    100 * hot.shareOfBackend(),
                    100 * hot.shareWithoutCall(),
                    100 * hot.shareOfLocal(),
                    100 * hot.grantedOfPossible(),
                    hot.worstExcess(),
                    scenario.limitPerSecond() / 10));
        }
        return table.toString();
    }

    private static Result run(Scenario scenario) {
        return new Simulation(scenario, CallCost.MEASURED, SEED).run(WARM_UP_NANOS, MEASURED_NANOS);
    }
}
