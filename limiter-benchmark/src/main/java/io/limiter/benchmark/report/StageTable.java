package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Stage;
import io.limiter.benchmark.measure.StageResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the stages of one decision cost the client. */
final class StageTable {

    private StageTable() {}

    static void write(Results results, Markdown page) {
        List<StageResult> stages = results.stages();
        if (stages.isEmpty()) {
            return;
        }
        page.add("### " + results.titled("By stage"));
        page.add("""
                Of `limiter`, nanoseconds of processor and bytes for one decision, sampled by JDK Flight Recorder, which JDKs before 25
                cannot do for system calls. A sample counts for the innermost frame that belongs to a stage; neighbours blur, because
                the compiler merges them. Flight Recorder loses samples of threads that are about to park or have just been woken:
                what is not sampled is small where no thread waits. Atomic operations are those of an asynchronous decision on one
                key, counted by reading the code; some dozen of a call are shared by all of its decisions.
                """);
        List<String> titles = new ArrayList<>(List.of("per decision", "atomic operations"));
        for (StageResult result : stages) {
            titles.add(CellTables.title(result.cell()) + ": ns");
            titles.add("bytes");
        }
        List<List<String>> rows = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            List<String> row = new ArrayList<>(List.of(stage.title(), Numbers.of((long) stage.atomicOperations())));
            for (StageResult result : stages) {
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
