package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.measure.Stage;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What one decision costs the client and Redis, and its stages the client. */
final class CostTables {

    private static final List<String> CONTENDERS = List.of("raw-evalsha", "limiter", "limiter-yield");

    private record Figure(String title, ToDoubleFunction<Slice> of) {}

    private static final List<Figure> FIGURES = List.of(
            new Figure("decisions/s", Slice::decisionsPerSecond),
            new Figure("client processor ns", slice -> slice.perDecision(slice.clientCpuNanos())),
            new Figure("bytes allocated", slice -> slice.perDecision(slice.allocatedBytes())),
            new Figure(
                    "Redis processor ns",
                    slice -> slice.perDecision(slice.redis().cpuMicros() * 1e3)),
            new Figure("Redis calls", slice -> slice.perDecision(slice.commandsSent())));

    private CostTables() {}

    static void write(Results results, Figures figures) {
        costs(results, figures);
        stages(results, figures);
    }

    private static void costs(Results results, Figures figures) {
        List<List<String>> rows = new ArrayList<>();
        Cell.OF_COSTS.forEach(costly -> results.cell(costly)
                .ifPresent(cell -> CONTENDERS.stream()
                        .flatMap(name -> results.contender(name).stream())
                        .filter(cell::has)
                        .forEach(contender -> rows.add(row(cell, contender)))));
        if (rows.isEmpty()) {
            return;
        }
        figures.table(
                results.titled("Budget per decision"),
                Stream.concat(Stream.of("per decision"), FIGURES.stream().map(Figure::title))
                        .toList(),
                rows);
    }

    private static List<String> row(CellResult result, Contender contender) {
        Cell cell = result.cell();
        String title = (cell.keys() == KeySpace.HOT ? "one key, " : "10,000 keys, ")
                + cell.callers()
                + (cell.waiting() == Cell.Waiting.ASYNC ? " asynchronous: " : " threads: ")
                + contender.name();
        Stream<String> texts = FIGURES.stream().map(figure -> Numbers.median(result.spread(contender, figure.of())));
        return Stream.concat(Stream.of(title), texts).toList();
    }

    private static void stages(Results results, Figures figures) {
        List<Stage.Costs> stages = results.stages();
        if (stages.isEmpty()) {
            return;
        }
        List<String> titles = new ArrayList<>(List.of("per decision", "atomic operations"));
        for (Stage.Costs result : stages) {
            titles.add(result.cell().title() + ": ns");
            titles.add(result.cell().title() + ": bytes");
        }
        List<List<String>> rows = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            List<String> row = new ArrayList<>(List.of(stage.title(), Numbers.of((long) stage.atomicOperations())));
            for (Stage.Costs result : stages) {
                row.add(rounded(result.nanos(), stage));
                row.add(rounded(result.bytes(), stage));
            }
            rows.add(row);
        }
        figures.table(results.titled("By stage"), titles, rows);
    }

    private static String rounded(Map<Stage, Double> costs, Stage stage) {
        return Numbers.of(Math.round(costs.getOrDefault(stage, 0.0)));
    }
}
