package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Latency;
import io.limiter.benchmark.measure.TailResult;
import io.limiter.benchmark.measure.TailResult.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The slowest decisions below saturation. */
final class TailTable {

    private TailTable() {}

    static void write(Results results, Markdown page) {
        List<TailResult> tails = results.tails();
        if (tails.isEmpty()) {
            return;
        }
        page.add("## " + results.titled("Tail latency"));
        page.add(String.format(Locale.ROOT, """
                64 blocking threads on one key send %s and %s requests per second: 20 %% and 50 %% of what the floor decides
                without pauses between requests. The times of requests are fixed beforehand, and a latency counts from that time
                to the decision, so what waits behind a slow decision is slow too. Waking the thread up is included, for the
                floor as well. *pause*: at 20 %%, the JVM is stopped once in each round for %d ms (`SIGSTOP`), as a
                collection of garbage would; the worst call includes it.
                """, rate(tails, Kind.FIFTH), rate(tails, Kind.HALF), Kind.PAUSE_MILLIS));
        List<String> names =
                tails.stream().map(TailResult::contender).distinct().toList();
        page.table(
                List.of("µs", "20 %: p50", "p99", "p99.9", "50 %: p50", "p99", "p99.9", "pause: worst call, ms"),
                names.stream().map(name -> row(name, tails)).toList());
    }

    private static String rate(List<TailResult> tails, Kind kind) {
        return tails.stream()
                .filter(tail -> tail.kind() == kind)
                .findFirst()
                .map(tail -> Numbers.of(tail.perSecond()))
                .orElse(Numbers.NONE);
    }

    private static List<String> row(String name, List<TailResult> tails) {
        List<String> row = new ArrayList<>(List.of(name));
        for (Kind kind : List.of(Kind.FIFTH, Kind.HALF)) {
            row.add(median(name, kind, tails, Latency::p50));
            row.add(median(name, kind, tails, Latency::p99));
            row.add(median(name, kind, tails, Latency::p999));
        }
        row.add(tails.stream()
                .filter(tail -> tail.contender().equals(name) && tail.kind() == Kind.PAUSED)
                .findFirst()
                .map(tail -> Numbers.of(tail.spread(Latency::worst).most() / 1000))
                .orElse(Numbers.NONE));
        return row;
    }

    private static String median(String name, Kind kind, List<TailResult> tails, ToDoubleFunction<Latency> figure) {
        return tails.stream()
                .filter(tail -> tail.contender().equals(name) && tail.kind() == kind)
                .findFirst()
                .map(tail -> Numbers.median(tail.spread(figure)))
                .orElse(Numbers.NONE);
    }
}
