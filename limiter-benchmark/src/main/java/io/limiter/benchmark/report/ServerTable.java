package io.limiter.benchmark.report;

import io.limiter.benchmark.server.ServerApplication.Limiting;
import io.limiter.benchmark.server.ServerRunner.Result;
import io.limiter.benchmark.server.ServerRunner.Round;
import java.util.List;

/** What a limit costs the requests of a server. */
final class ServerTable {

    static final String TITLE = "Requests of a server";

    private static final List<String> TITLES = List.of(
            "server, limit", "requests/s", "× no limit", "p50 ms", "p99 ms", "CPU µs of the server", "CPU µs of Redis");

    private static final String LEGEND = """
            `wrk` keeps 32 requests open to an application whose controller responds `hello`: without this library, after a raw
            `EVALSHA` over Lettuce (the floor), with `@RateLimit`, and with a rule of `limiter.http`. No limit rejects. Server, Redis and
            `wrk` share the processors; the processor time is that of one request.
            """;

    private ServerTable() {}

    static void write(Results results, Markdown page) {
        if (!results.servers().isEmpty()) {
            page.add("## " + results.titled(TITLE));
            page.add(LEGEND);
            page.table(TITLES, rows(results));
            page.add(results.environment().summary());
        }
    }

    static void write(Results results, Figures figures) {
        figures.table(results.titled(TITLE), TITLES, rows(results));
    }

    private static List<List<String>> rows(Results results) {
        return results.servers().stream()
                .map(result -> List.of(
                        result.server().title() + ", " + result.limiting().title(),
                        Numbers.spread(result.spread(Round::requestsPerSecond)),
                        result.limiting() == Limiting.NONE
                                ? Numbers.NONE
                                : Numbers.spread(result.ratio(unlimited(results, result), Round::requestsPerSecond)),
                        Numbers.median(result.spread(round -> round.p50() / 1000)),
                        Numbers.median(result.spread(round -> round.p99() / 1000)),
                        Numbers.median(result.spread(Round::serverMicros)),
                        Numbers.median(result.spread(Round::redisMicros))))
                .toList();
    }

    private static Result unlimited(Results results, Result limited) {
        return results.servers().stream()
                .filter(each -> each.server() == limited.server() && each.limiting() == Limiting.NONE)
                .findFirst()
                .orElseThrow();
    }
}
