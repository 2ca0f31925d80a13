package io.limiter.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.experiment.Result;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReliabilityPageTest {

    @Test
    void what_could_not_run_is_said_loudly() {
        Experiment experiment = Experiments.all().get(0);
        List<Result> results = List.of(Result.skipped(experiment, 7, "there is no gcc"));
        String page = ReliabilityPage.page(
                results, 3, new Environment(LocalDate.of(2026, 11, 22), "a machine", "a JVM", "6.2.11"), 7);
        assertThat(page)
                .contains("0 of 1 (a selection of the 3) experiments held")
                .contains("- **" + experiment.name() + " was skipped**: there is no gcc")
                .contains("| " + experiment.name() + " | " + experiment.does() + " | ")
                .contains(" | SKIPPED |")
                .contains("2026-11-22, a machine, a JVM, Redis 6.2.11")
                .doesNotContain("${");
        assertThat(ReliabilityPage.summary(results)).contains("SKIPPED", "was skipped**: there is no gcc");
    }
}
