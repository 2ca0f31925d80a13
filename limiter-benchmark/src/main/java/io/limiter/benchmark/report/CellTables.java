package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.util.List;
import java.util.stream.Stream;

/** All figures: every subject beside the floor, what keys weigh, and each cell in a table of its own. */
final class CellTables {

    private static final String COLUMNS = """
            Latencies are from request to answer, in an HdrHistogram to two digits; where answers come fast, one in so many is
            timed that it makes about 100,000 a second. Calls, processor time and bytes are for each decision: *Redis calls* are
            commands that clients sent, *script µs* is one script in Redis, *client CPU* and *bytes allocated* are all of the
            JVM's, with what makes the load. `failed` are exceptions, in the worst round.
            """;

    private CellTables() {}

    static void write(Results results, Markdown page) {
        ratios(results, page);
        memory(results, page);
        page.add("## " + results.titled("Cell by cell"));
        page.add(COLUMNS);
        results.cells().forEach(cell -> cell(results, cell, page));
    }

    private static void ratios(Results results, Markdown page) {
        List<CellResult> compared = results.cells().stream()
                .filter(cell -> cell.cell().outcome().hasFloor())
                .toList();
        if (compared.isEmpty()) {
            return;
        }
        page.add("## " + results.titled("× floor"));
        page.table(
                Stream.concat(
                                Stream.of("", "above the limit"),
                                compared.stream().map(cell -> title(cell.cell())))
                        .toList(),
                results.measured().stream()
                        .map(contender -> Stream.concat(
                                        Stream.of(results.marked(contender), above(results, contender)),
                                        compared.stream()
                                                .map(cell ->
                                                        Numbers.median(cell.ratio(contender, Contenders.RAW_EVALSHA))))
                                .toList())
                        .toList());
    }

    private static String above(Results results, Contender contender) {
        return contender.isFloor() ? Numbers.NONE : Numbers.of(results.above(contender));
    }

    private static void memory(Results results, Markdown page) {
        List<KeyMemory> memory = results.memory();
        if (memory.isEmpty()) {
            return;
        }
        page.add("## " + results.titled("Bytes in Redis for an id of 16 characters"));
        page.add("All keys that it has, by `MEMORY USAGE`, under the limiter's own names for them.");
        page.table(
                List.of("", "after 1 grant", "after 1,000 grants"),
                memory.stream()
                        .map(weighed -> List.of(
                                weighed.contender(),
                                Numbers.of(weighed.afterOne()),
                                Numbers.of(weighed.afterThousand())))
                        .toList());
    }

    private static void cell(Results results, CellResult cell, Markdown page) {
        List<CellColumn> columns = CellColumn.ALL.stream()
                .filter(column -> column.shown().test(cell.cell().outcome()))
                .toList();
        page.add("### " + results.titled(title(cell.cell())));
        page.table(
                Stream.concat(Stream.of(""), columns.stream().map(CellColumn::title))
                        .toList(),
                results.contenders().stream()
                        .filter(cell::has)
                        .map(contender -> Stream.concat(
                                        Stream.of(results.marked(contender)),
                                        columns.stream()
                                                .map(column -> column.text().apply(cell, contender)))
                                .toList())
                        .toList());
        if (!cell.failureByContender().isEmpty()) {
            page.add("First failures:");
            page.list(cell.failureByContender().entrySet().stream()
                    .map(failure -> failure.getKey() + ": " + failure.getValue())
                    .toList());
        }
    }

    static String title(Cell cell) {
        String load = cell.load().name().replaceFirst("-", " ").replace("1 threads", "1 thread");
        return cell.keys().label() + ", " + cell.outcome().label() + ", " + load;
    }
}
