package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.measure.TailRunner;
import io.limiter.benchmark.measure.TailRunner.Kind;
import io.limiter.benchmark.report.Section.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The slowest decisions below saturation. */
final class TailTable {

    private static final List<String> COLUMNS =
            List.of("µs", "20 %: p50", "20 %: p99", "20 %: p99.9", "50 %: p50", "50 %: p99", "50 %: p99.9");

    private TailTable() {}

    static Section of(Results results) {
        List<TailRunner.Result> tails = results.tails();
        String load = String.format(Locale.ROOT, """
                64 blocking threads on one key send %s and %s requests per second, 20 %% and 50 %% of the floor's maximum. Latency
                counts from the time for which a request was planned, and includes waking the thread.
                """, rate(tails, Kind.FIFTH), rate(tails, Kind.HALF));
        List<Row> rows = tails.stream()
                .map(TailRunner.Result::contender)
                .distinct()
                .map(name -> new Row(
                        false,
                        cells(tails.stream()
                                .filter(tail -> tail.contender().equals(name))
                                .toList())))
                .toList();
        return new Section("Tail latency", load, COLUMNS, rows, "");
    }

    private static String rate(List<TailRunner.Result> tails, Kind kind) {
        return text(tails, kind, tail -> Numbers.of(tail.perSecond()));
    }

    /** Of one contender. */
    private static List<String> cells(List<TailRunner.Result> tails) {
        List<String> row = new ArrayList<>(List.of(tails.get(0).contender()));
        for (Kind kind : List.of(Kind.FIFTH, Kind.HALF)) {
            for (ToDoubleFunction<Latency> figure :
                    List.<ToDoubleFunction<Latency>>of(Latency::p50, Latency::p99, Latency::p999)) {
                row.add(text(tails, kind, tail -> Numbers.median(tail.spread(figure))));
            }
        }
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
