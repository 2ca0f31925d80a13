package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.measure.StageResult;
import io.limiter.benchmark.measure.TailResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of one part of a run.
 *
 * @param part its name
 */
public record Finished(
        String part,
        @Nullable CellResult cell,
        List<TailResult> tails,
        List<StageResult> stages,
        List<KeyMemory> memory) {

    public static Finished cell(CellResult cell) {
        return new Finished(cell.cell().name(), cell, List.of(), List.of(), List.of());
    }

    public static Finished tails(String part, List<TailResult> tails) {
        return new Finished(part, null, tails, List.of(), List.of());
    }

    public static Finished stages(String part, List<StageResult> stages) {
        return new Finished(part, null, List.of(), stages, List.of());
    }

    public static Finished memory(String part, List<KeyMemory> memory) {
        return new Finished(part, null, List.of(), List.of(), memory);
    }
}
