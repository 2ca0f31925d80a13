package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.measure.TailRunner;
import io.limiter.benchmark.measure.TailRunner.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The slowest decisions below saturation. */
final class TailTable {

    private TailTable() {}

    static void write(Results results, Markdown page) {
        List<TailRunner.Result> tails = results.tails();
        if (tails.isEmpty()) {
            return;
        }
        page.add("## " + results.titled("Tail latency"));
        page.add(String.format(
                Locale.ROOT, """
                64 blocking threads on one key send %s and %s requests per second: 20 %% and 50 %% of what the floor decides
                without pauses between requests. The times of requests are fixed beforehand, and a latency counts from that time
                to the decision, so what waits behind a slow decision is slow too. Waking the thread up is included, for the
                floor as well. *pause*: at 20 %%, the JVM is stopped once in each round for %d ms (`SIGSTOP`), as a
                collection of garbage would; the worst call includes it.
                """, rate(tails, Kind.FIFTH), rate(tails, Kind.HALF), TailRunner.PAUSE_MILLIS));
        page.table(
                List.of("µs", "20 %: p50", "p99", "p99.9", "50 %: p50", "p99", "p99.9", "pause: worst call, ms"),
                tails.stream()
                        .map(TailRunner.Result::contender)
                        .distinct()
                        .map(name -> row(tails.stream()
                                .filter(tail -> tail.contender().equals(name))
                                .toList()))
                        .toList());
    }

    private static String rate(List<TailRunner.Result> tails, Kind kind) {
        return text(tails, kind, tail -> Numbers.of(tail.perSecond()));
    }

    /** Of one contender. */
    private static List<String> row(List<TailRunner.Result> tails) {
        List<String> row = new ArrayList<>(List.of(tails.get(0).contender()));
        for (Kind kind : List.of(Kind.FIFTH, Kind.HALF)) {
            for (ToDoubleFunction<Latency> figure :
                    List.<ToDoubleFunction<Latency>>of(Latency::p50, Latency::p99, Latency::p999)) {
                row.add(text(tails, kind, tail -> Numbers.median(tail.spread(figure))));
            }
        }
        row.add(text(
                tails,
                Kind.PAUSED,
                tail -> Numbers.of(tail.spread(Latency::worst).most() / 1000)));
        return row;
    }

    private static String text(List<TailRunner.Result> tails, Kind kind, Function<TailRunner.Result, String> text) {
        return tails.stream()
                .filter(tail -> tail.kind() == kind)
                .findFirst()
                .map(text)
                .orElse(Numbers.NONE);
    }
}
