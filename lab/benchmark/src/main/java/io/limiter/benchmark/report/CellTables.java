package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What keys weigh, and each cell in a table of its own. */
final class CellTables {

    private static final String MEMORY = "Bytes in Redis for an id of 16 characters";
    private static final List<String> MEMORY_TITLES = List.of("", "after 1 grant", "after 1,000 grants");

    private CellTables() {}

    static void write(Results results, Figures figures) {
        memory(results)
                .ifPresent(rows -> figures.table(results.environment(), results.titled(MEMORY), MEMORY_TITLES, rows));
        results.cells().forEach(cell -> cell(results, cell, figures));
    }

    private static Optional<List<List<String>>> memory(Results results) {
        return Optional.of(results.memory().stream()
                        .map(weighed -> List.of(
                                weighed.contender(),
                                Numbers.of(weighed.afterOne()),
                                Numbers.of(weighed.afterThousand())))
                        .toList())
                .filter(rows -> !rows.isEmpty());
    }

    private static void cell(Results results, CellResult cell, Figures figures) {
        String title = results.titled(cell.cell().title());
        figures.table(
                results.environment(),
                title,
                Stream.concat(Stream.of(""), Column.ALL.stream().map(Column::title))
                        .toList(),
                results.contenders().stream()
                        .filter(cell::has)
                        .map(contender -> Stream.concat(
                                        Stream.of(results.marked(contender)),
                                        Column.ALL.stream()
                                                .map(column -> column.text().apply(cell, contender)))
                                .toList())
                        .toList());
        cell.failureByContender()
                .forEach((contender, failure) ->
                        figures.line(results.environment(), title, contender, "first failure", failure));
    }

    /** A column of a cell's table. */
    private record Column(String title, BiFunction<CellResult, Contender, String> text) {

        static final List<Column> ALL = List.of(
                new Column(
                        "decisions/s",
                        (cell, contender) -> Numbers.spread(cell.spread(contender, Slice::decisionsPerSecond))),
                new Column(
                        "× floor", (cell, contender) -> Numbers.spread(cell.ratio(contender, Contenders.RAW_EVALSHA))),
                median("p50 µs", slice -> slice.latency().p50()),
                median("p99 µs", slice -> slice.latency().p99()),
                median("p99.9 µs", slice -> slice.latency().p999()),
                ofRedis("Redis calls", slice -> slice.perDecision(slice.commandsSent())),
                ofRedis("Redis CPU µs", slice -> slice.perDecision(slice.redisCpuMicros())),
                median("client CPU µs", slice -> slice.perDecision(slice.clientCpuNanos() / 1e3)),
                median("bytes allocated", slice -> slice.perDecision(slice.allocatedBytes())),
                new Column("above the limit", (cell, contender) -> {
                    Long above = cell.above(contender);
                    return above == null ? Numbers.NONE : Numbers.of((long) above);
                }),
                new Column(
                        "failed",
                        (cell, contender) -> Numbers.of(
                                Math.round(cell.spread(contender, Slice::failed).most()))));

        private static Column median(String title, ToDoubleFunction<Slice> figure) {
            return new Column(title, (cell, contender) -> Numbers.median(cell.spread(contender, figure)));
        }

        /** A column that is empty for contenders without Redis. */
        private static Column ofRedis(String title, ToDoubleFunction<Slice> figure) {
            return new Column(
                    title,
                    (cell, contender) ->
                            contender.inProcess() ? Numbers.NONE : Numbers.median(cell.spread(contender, figure)));
        }
    }
}
