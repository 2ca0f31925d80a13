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

    static void write(Results results, Markdown page) {
        costs(results, page);
        stages(results, page);
    }

    private static void costs(Results results, Markdown page) {
        List<List<String>> rows = new ArrayList<>();
        Cell.OF_COSTS.forEach(costly -> results.cell(costly)
                .ifPresent(cell -> CONTENDERS.stream()
                        .flatMap(name -> results.contender(name).stream())
                        .filter(cell::has)
                        .forEach(contender -> rows.add(row(cell, contender)))));
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
        Stream<String> figures = FIGURES.stream().map(figure -> Numbers.median(result.spread(contender, figure.of())));
        return Stream.concat(Stream.of(title), figures).toList();
    }

    private static void stages(Results results, Markdown page) {
        List<Stage.Costs> stages = results.stages();
        if (stages.isEmpty()) {
            return;
        }
        page.add("### " + results.titled("By stage"));
        page.add("""
                Of `limiter`, nanoseconds of processor and bytes for one decision, sampled by JDK Flight Recorder, which JDKs before 25
                cannot do for system calls. A sample counts for the innermost frame that belongs to a stage; adjacent stages blur, because
                the compiler merges them. Flight Recorder loses samples of threads that are about to park or have just been woken:
                what is not sampled is small where no thread waits. Atomic operations are those of an asynchronous decision on one
                key, counted by reading the code; some dozen of a call are shared by all of its decisions.
                """);
        List<String> titles = new ArrayList<>(List.of("per decision", "atomic operations"));
        for (Stage.Costs result : stages) {
            titles.add(result.cell().title() + ": ns");
            titles.add("bytes");
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
        page.table(titles, rows);
    }

    private static String rounded(Map<Stage, Double> costs, Stage stage) {
        return Numbers.of(Math.round(costs.getOrDefault(stage, 0.0)));
    }
}
