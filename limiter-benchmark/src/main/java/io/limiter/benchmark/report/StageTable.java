package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the stages of a decision cost the client. */
final class StageTable {

    private StageTable() {}

    static void write(Results results, Figures figures) {
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
