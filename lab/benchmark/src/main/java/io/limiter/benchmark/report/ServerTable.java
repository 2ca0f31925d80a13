package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.report.Section.Row;
import io.limiter.benchmark.server.ServerApplication.Limiting;
import io.limiter.benchmark.server.ServerApplication.Server;
import io.limiter.benchmark.server.ServerRunner.Result;
import io.limiter.benchmark.server.ServerRunner.Round;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** What a limit costs the requests of a server. */
final class ServerTable {

    private static final List<String> COLUMNS = List.of(
            "server, limit", "requests/s", "× no limit", "p50 ms", "p99 ms", "CPU µs of the server", "CPU µs of Redis");

    private static final String LEGEND = """
            `wrk` keeps 32 requests open to a controller that responds `hello`, each with one of 10,000 keys. Without a limit, this library
            is switched off. All requests count for one key, except where the row names 10,000. No limit rejects a request. Server, Redis
            and `wrk` share the processors, and the processor time is per request.
            """;

    private static final String COSTS = """
            Processor time bounds the number of requests, and the call to Redis takes a part of it. Averaged over all
            servers, a raw `EVALSHA` for each request costs %.0f %% of the requests, and a limit, whose requests share calls, %.0f %%.
            """;

    private ServerTable() {}

    static Section of(Results results) {
        List<Row> rows = results.servers().stream()
                .map(result -> new Row(isForUsers(result), cells(results, result)))
                .toList();
        String costs = String.format(
                Locale.ROOT,
                COSTS,
                percentLost(results, limiting -> limiting == Limiting.RAW),
                percentLost(results, limiting -> limiting == Limiting.ANNOTATION || limiting == Limiting.RULE));
        return new Section(
                "Requests of a server",
                LEGEND,
                COLUMNS,
                rows,
                costs + results.environment().summary());
    }

    /** Of the requests without a limit, on average. */
    private static double percentLost(Results results, Predicate<Limiting> limited) {
        return results.servers().stream()
                .filter(result -> limited.test(result.limiting()))
                .mapToDouble(result -> 100 - 100 * ratio(results, result).median())
                .average()
                .orElse(Double.NaN);
    }

    private static boolean isForUsers(Result result) {
        return result.server() == Server.TOMCAT && result.limiting() != Limiting.RULE;
    }

    private static List<String> cells(Results results, Result result) {
        return List.of(
                result.server().title() + ", " + result.limiting().title(),
                Numbers.spread(result.spread(Round::requestsPerSecond)),
                result.limiting() == Limiting.NONE ? Numbers.NONE : Numbers.spread(ratio(results, result)),
                Numbers.median(result.spread(round -> round.p50() / 1000)),
                Numbers.median(result.spread(round -> round.p99() / 1000)),
                Numbers.median(result.spread(Round::serverMicros)),
                Numbers.median(result.spread(Round::redisMicros)));
    }

    /** To the same server without a limit. */
    private static Spread ratio(Results results, Result limited) {
        Result unlimited = results.servers().stream()
                .filter(each -> each.server() == limited.server() && each.limiting() == Limiting.NONE)
                .findFirst()
                .orElseThrow();
        return limited.ratio(unlimited, Round::requestsPerSecond);
    }
}
