package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * A column of a cell's table.
 *
 * @param shown whether the cell has it
 */
record CellColumn(String title, Predicate<Outcome> shown, BiFunction<CellResult, Contender, String> text) {

    static final List<CellColumn> ALL = List.of(
            new CellColumn(
                    "decisions/s",
                    outcome -> true,
                    (cell, contender) -> Numbers.spread(cell.spread(contender, Slice::decisionsPerSecond))),
            new CellColumn("× floor", Outcome::hasFloor, CellColumn::ratio),
            median("p50 µs", slice -> slice.latency().p50()),
            median("p99 µs", slice -> slice.latency().p99()),
            median("p99.9 µs", slice -> slice.latency().p999()),
            ofRedis("Redis calls", slice -> slice.perDecision(slice.commandsSent())),
            ofRedis("Redis CPU µs", slice -> slice.perDecision(slice.redis().cpuMicros())),
            ofRedis("script µs", Slice::microsPerScript),
            median("client CPU µs", slice -> slice.perDecision(slice.clientCpuNanos() / 1e3)),
            median("bytes allocated", slice -> slice.perDecision(slice.allocatedBytes())),
            new CellColumn(
                    "grants/s",
                    outcome -> !outcome.hasFloor(),
                    (cell, contender) ->
                            Numbers.spread(cell.spread(contender, slice -> slice.granted() / slice.seconds()))),
            new CellColumn(
                    "Redis calls/s",
                    outcome -> !outcome.hasFloor(),
                    (cell, contender) -> contender.inProcess()
                            ? Numbers.NONE
                            : Numbers.median(cell.spread(contender, slice -> slice.commandsSent() / slice.seconds()))),
            new CellColumn("above the limit", outcome -> true, CellColumn::above),
            new CellColumn(
                    "failed",
                    outcome -> true,
                    (cell, contender) -> Numbers.of(
                            Math.round(cell.spread(contender, Slice::failed).most()))));

    private static CellColumn median(String title, ToDoubleFunction<Slice> figure) {
        return new CellColumn(
                title, outcome -> true, (cell, contender) -> Numbers.median(cell.spread(contender, figure)));
    }

    /** A column that is empty for contenders without Redis. */
    private static CellColumn ofRedis(String title, ToDoubleFunction<Slice> figure) {
        return new CellColumn(
                title,
                outcome -> true,
                (cell, contender) ->
                        contender.inProcess() ? Numbers.NONE : Numbers.median(cell.spread(contender, figure)));
    }

    private static String ratio(CellResult cell, Contender contender) {
        return Numbers.spread(cell.ratio(contender, Contenders.RAW_EVALSHA));
    }

    private static String above(CellResult cell, Contender contender) {
        Long above = cell.above(contender);
        if (above == null) {
            return Numbers.NONE;
        }
        return above > 0 ? "**" + Numbers.of(above) + "**" : "0";
    }
}
