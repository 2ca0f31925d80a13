package io.limiter.faults.planted;

import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.judge.Result;
import java.util.List;

/** What became of a planted bug. */
public record BugResult(PlantedBug bug, Result result) {

    /** What was found by the measure that the bug names. */
    public List<Violation> evidence() {
        return result.violations().stream()
                .filter(violation -> violation.measure() == bug.measure())
                .toList();
    }

    /** Whether the experiment ran and found it. */
    public boolean isCaught() {
        return !evidence().isEmpty();
    }
}
