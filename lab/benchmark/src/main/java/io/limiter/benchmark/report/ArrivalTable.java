package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.ArrivalRunner;
import io.limiter.benchmark.measure.ArrivalRunner.Result;
import io.limiter.benchmark.measure.ArrivalRunner.Round;
import io.limiter.benchmark.report.Section.Row;
import java.util.List;

/** What a decision adds to requests that arrive at a fixed rate. */
final class ArrivalTable {

    private static final int RATE_FOR_USERS = 5000;

    private static final List<String> COLUMNS =
            List.of("requests, limiter", "p50 ms", "p99 ms", "CPU µs added to the caller", "CPU µs of Redis");

    private static final String LEGEND = """
            64 threads serve requests that arrive at random (a Poisson process), as they do in a service, each with one decision. The latency
            counts from the arrival, so it includes the time until a thread is free and awake. *No limit* is the same without a decision,
            and the processor time is what a decision adds to that.
            """;

    private ArrivalTable() {}

    static Section of(Results results) {
        List<Row> rows = results.arrivals().stream()
                .map(result -> new Row(isForUsers(result), cells(results, result)))
                .toList();
        return new Section(
                "Requests at a fixed rate",
                LEGEND,
                COLUMNS,
                rows,
                results.environment().summary());
    }

    private static boolean isForUsers(Result result) {
        return result.arrivals().roundTripMicros() == 0 && result.arrivals().perSecond() == RATE_FOR_USERS;
    }

    private static List<String> cells(Results results, Result result) {
        boolean isLimited = !result.contender().equals(ArrivalRunner.NO_LIMIT);
        return List.of(
                result.arrivals().title() + ", " + result.contender(),
                Numbers.spread(result.spread(round -> round.latency().p50() / 1000)),
                Numbers.spread(result.spread(round -> round.latency().p99() / 1000)),
                isLimited
                        ? Numbers.median(result.added(unlimited(results, result), Round::callerMicros))
                        : Numbers.NONE,
                isLimited ? Numbers.median(result.spread(Round::redisMicros)) : Numbers.NONE);
    }

    private static Result unlimited(Results results, Result limited) {
        return results.arrivals().stream()
                .filter(each -> each.arrivals().equals(limited.arrivals())
                        && each.contender().equals(ArrivalRunner.NO_LIMIT))
                .findFirst()
                .orElseThrow();
    }
}
