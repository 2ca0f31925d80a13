package io.limiter.benchmark.report;

import io.limiter.benchmark.load.FleetLoad;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.measure.FleetRunner.Result;
import io.limiter.benchmark.measure.FleetRunner.Round;
import io.limiter.benchmark.report.Section.Row;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What prefetch keeps and lets through in a fleet. */
final class FleetTable {

    private static final int CAPACITY_FOR_USERS = 1000;

    private static final List<String> COLUMNS = List.of(
            "limit, requests, instances",
            "requests/s per key and instance",
            "calls per decision",
            "p50 ms",
            "p99 ms",
            "decided by prefetched permits",
            "granted, of what one bucket would",
            "rejected early",
            "most above the refill, of the bound");

    private static final String LEGEND = """
            Requests arrive at random (a Poisson process), each at one of the instances. Of two figures, the first is without prefetch, and
            the second with `prefetch-time=50ms`. The capacity of each limit is what it refills in a second. Calls are all commands that the
            instances send to Redis, including those that only take permits ahead or return them. A request that is rejected because prefetched
            permits are used up counts as decided by them, too. A request is *rejected early* if one bucket for all instances would still have had a permit. Then another instance
            holds it, or it is lost, or a cached rejection lasts a little too long. *Above the refill* means beyond `rate × t` in any time
            `t`. It is with prefetch, and the bound is `capacity + rate × prefetch time`.
            """;

    private FleetTable() {}

    static Section of(Results results) {
        List<Row> rows = results.fleets().stream()
                .filter(Result::prefetching)
                .map(result -> new Row(isForUsers(result.load()), cells(results, result)))
                .toList();
        return new Section(
                "Prefetch in a fleet",
                LEGEND,
                COLUMNS,
                rows,
                "All instances, Redis and the load share the processors. "
                        + results.environment().summary());
    }

    /** With many keys, the limit makes no difference. */
    private static boolean isForUsers(FleetLoad load) {
        return load.keys() == KeySpace.HOT || load.capacity() == CAPACITY_FOR_USERS;
    }

    private static List<String> cells(Results results, Result with) {
        Result without = results.fleets().stream()
                .filter(each -> each.load().equals(with.load()) && !each.prefetching())
                .findFirst()
                .orElseThrow();
        return List.of(
                with.load().title(),
                Numbers.of(with.load().perKeyAndInstance()),
                both(without, with, Round::calls, ""),
                both(without, with, round -> round.latency().p50() / 1000, ""),
                both(without, with, round -> round.latency().p99() / 1000, ""),
                Numbers.median(with.spread(round -> 100 * round.prefetched())) + " %",
                both(without, with, round -> 100 * round.ofPossible(), " %"),
                both(without, with, round -> 100 * round.rejectedEarly(), " %"),
                Numbers.of(with.spread(Round::aboveRefill).most()) + " of " + Numbers.of(with.bound()));
    }

    private static String both(Result without, Result with, ToDoubleFunction<Round> figure, String unit) {
        return Numbers.median(without.spread(figure)) + " / " + Numbers.median(with.spread(figure)) + unit;
    }
}
