package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Cells;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What one decision costs the client and Redis. */
final class CostTable {

    private static final List<Map.Entry<String, Cell>> CELLS = List.of(
            Map.entry("one key, 64 threads", Cells.HOT_64_THREADS),
            Map.entry("10,000 keys, 64 threads", Cells.WIDE_64_THREADS),
            Map.entry("one key, 64 asynchronous", Cells.HOT_64_ASYNC),
            Map.entry("10,000 keys, 64 asynchronous", Cells.WIDE_64_ASYNC));

    private static final List<String> CONTENDERS = List.of("raw-evalsha", "limiter", "limiter-yield");

    private CostTable() {}

    static void write(Results results, Markdown page) {
        List<List<String>> rows = new ArrayList<>();
        CELLS.forEach(entry -> results.cell(entry.getValue())
                .ifPresent(cell -> CONTENDERS.stream()
                        .flatMap(name -> results.contender(name).stream())
                        .filter(cell::has)
                        .forEach(contender -> rows.add(row(entry.getKey(), cell, contender)))));
        if (rows.isEmpty()) {
            return;
        }
        page.add("## " + results.titled("Budget per decision"));
        page.add("""
                Processor time and bytes are all of the JVM's, with what makes the load and the compiler, Redis's are the
                server's (`INFO cpu`). *yield* is `yieldWhileWaiting` of 1 ms; it concerns threads that block, so there is
                no such row for asynchronous decisions.
                """);
        page.table(
                List.of(
                        "per decision",
                        "decisions/s",
                        "client processor ns",
                        "bytes allocated",
                        "Redis processor ns",
                        "Redis calls"),
                rows);
    }

    private static List<String> row(String title, CellResult cell, Contender contender) {
        return List.of(
                title + ": " + contender.name(),
                median(cell, contender, Slice::decisionsPerSecond),
                median(cell, contender, slice -> slice.perDecision(slice.clientCpuNanos())),
                median(cell, contender, slice -> slice.perDecision(slice.allocatedBytes())),
                median(cell, contender, slice -> slice.perDecision(slice.redis().cpuMicros() * 1e3)),
                median(cell, contender, slice -> slice.perDecision(slice.commandsSent())));
    }

    private static String median(CellResult cell, Contender contender, ToDoubleFunction<Slice> figure) {
        return Numbers.median(cell.spread(contender, figure));
    }
}
