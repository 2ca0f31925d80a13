package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.List;

/**
 * The results of a run.
 *
 * @param contenders in the order in which they are shown
 * @param memory of those whose keys were weighed
 */
public record Results(
        Environment environment, List<Contender> contenders, List<CellResult> cells, List<KeyMemory> memory) {

    /** Grants of a contender above its limit, in the worst round of the worst cell. */
    public long above(Contender contender) {
        return cells.stream().mapToLong(cell -> cell.above(contender)).max().orElse(0);
    }

    /** The problems that invalidate the figures, in one line each. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        cells.forEach(cell -> problems.addAll(cell.problems()));
        return problems;
    }

    /** The name, with a mark if it grants more than its limit. */
    String marked(Contender contender) {
        return above(contender) > 0 ? contender.name() + " ⚠" : contender.name();
    }

    /** Whether there are cells in which excess grants of a contender would have been noticed. */
    boolean checked(Contender contender) {
        return !contender.isFloor()
                && cells.stream()
                        .anyMatch(cell -> cell.cell().outcome().limits()
                                && cell.contenders().contains(contender));
    }
}
