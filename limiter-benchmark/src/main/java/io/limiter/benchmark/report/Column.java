package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.subject.Contender;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * A column of a cell's table.
 *
 * @param shown whether the cell has it
 */
record Column(String title, Predicate<Outcome> shown, BiFunction<CellResult, Contender, String> text) {

    static final List<Column> ALL = List.of(
            new Column(
                    "decisions/s",
                    outcome -> true,
                    (cell, contender) -> Numbers.spread(cell.spread(contender, Slice::decisionsPerSecond))),
            new Column("× floor", Outcome::hasFloor, Column::ratio),
            median("p50 µs", slice -> slice.latencyMicros(50)),
            median("p99 µs", slice -> slice.latencyMicros(99)),
            median("p99.9 µs", slice -> slice.latencyMicros(99.9)),
            ofRedis("Redis calls", slice -> slice.perDecision(slice.commandsSent())),
            ofRedis("Redis CPU µs", slice -> slice.perDecision(slice.redis().cpuMicros())),
            ofRedis("script µs", Slice::microsPerScript),
            median("client CPU µs", slice -> slice.perDecision(slice.clientCpuNanos() / 1e3)),
            median("bytes allocated", slice -> slice.perDecision(slice.allocatedBytes())),
            new Column(
                    "grants/s",
                    outcome -> !outcome.hasFloor(),
                    (cell, contender) ->
                            Numbers.spread(cell.spread(contender, slice -> slice.granted() / slice.seconds()))),
            new Column(
                    "Redis calls/s",
                    outcome -> !outcome.hasFloor(),
                    (cell, contender) -> contender.inProcess()
                            ? Numbers.NONE
                            : Numbers.median(cell.spread(contender, slice -> slice.commandsSent() / slice.seconds()))),
            new Column("above the limit", Outcome::limits, Column::above),
            new Column(
                    "failed",
                    outcome -> true,
                    (cell, contender) -> Numbers.of(
                            Math.round(cell.spread(contender, Slice::failed).most()))));

    private static Column median(String title, ToDoubleFunction<Slice> figure) {
        return new Column(title, outcome -> true, (cell, contender) -> Numbers.median(cell.spread(contender, figure)));
    }

    /** A column that is empty for contenders without Redis. */
    private static Column ofRedis(String title, ToDoubleFunction<Slice> figure) {
        return new Column(
                title,
                outcome -> true,
                (cell, contender) ->
                        contender.inProcess() ? Numbers.NONE : Numbers.median(cell.spread(contender, figure)));
    }

    private static String ratio(CellResult cell, Contender contender) {
        Spread ratio = cell.ratioToFloor(contender);
        return ratio == null ? Numbers.NONE : Numbers.spread(ratio);
    }

    private static String above(CellResult cell, Contender contender) {
        if (contender.isFloor()) {
            return Numbers.NONE;
        }
        long above = cell.above(contender);
        return above > 0 ? "**" + Numbers.of(above) + "**" : "0";
    }
}
