package io.limiter.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.planted.PlantedBugs;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReliabilityPageTest {

    private static final Environment HERE =
            new Environment(LocalDate.of(2026, 11, 22), "a machine", "a JVM", "Redis 6.2.11");

    @Test
    void what_could_not_run_is_said_loudly() {
        Experiment experiment = Experiments.all().get(0);
        List<Result> results = List.of(Result.skipped(experiment, 7, "there is no gcc"));
        String page = ReliabilityPage.page("", results, 3, HERE, 7);
        assertThat(page)
                .contains("0 of 1 (a selection of the 3) experiments held")
                .contains("- **" + experiment.name() + " was skipped**: there is no gcc")
                .contains("| " + experiment.promise() + " | " + experiment.name() + " | SKIPPED |")
                .contains("2026-11-22, a machine, a JVM, Redis 6.2.11")
                .doesNotContain("${");
        assertThat(ReliabilityPage.summary(results)).contains("SKIPPED", "was skipped**: there is no gcc");
        assertThat(ReliabilityPage.csv(results))
                .startsWith("experiment,what is done,promise,excess,")
                .contains("\n" + experiment.name() + ",")
                .contains(experiment.does())
                .endsWith(",SKIPPED\n");
    }

    @Test
    void experiments_on_one_promise_share_a_row() {
        Experiment experiment = Experiments.all().get(0);
        Experiment other = Experiments.all().get(1);
        assertThat(other.promise()).isEqualTo(experiment.promise());
        String page = ReliabilityPage.page(
                "", List.of(Result.skipped(experiment, 7, "-"), Result.skipped(other, 7, "-")), 2, HERE, 7);
        assertThat(page)
                .containsOnlyOnce("| " + experiment.promise() + " | ")
                .contains(" | " + experiment.name() + ", " + other.name() + " | SKIPPED |");
    }

    @Test
    void a_soak_has_a_section_of_its_own_that_the_other_experiments_leave() {
        List<Result> others = List.of(Result.skipped(Experiments.all().get(0), 7, "there is no gcc"));
        List<Result> soak = List.of(Result.skipped(Experiments.all().get(1), 8, "there is no time"));
        String page = ReliabilityPage.page("", others, 3, HERE, 7);
        String withSoak = ReliabilityPage.withSoak(page, soak, HERE, 8);
        assertThat(withSoak).startsWith(page).contains("## Soak", "2026-11-22, Redis 6.2.11; seed 8.");
        assertThat(ReliabilityPage.page(withSoak, others, 3, HERE, 7)).isEqualTo(withSoak);
        assertThat(ReliabilityPage.withSoak(withSoak, soak, HERE, 8)).isEqualTo(withSoak);
    }

    @Test
    void planted_bugs_have_a_section_before_the_soak() {
        PlantedBug bug = PlantedBugs.all().get(0);
        List<Result> results = List.of(Result.skipped(bug.trial(), 7, "there is no gcc"));
        List<BugResult> bugs = List.of(new BugResult(bug, results.get(0)));
        String page = ReliabilityPage.page("", results, 3, HERE, 7);
        String withBugs = ReliabilityPage.withBugs(page, bugs, HERE, 7);
        assertThat(withBugs)
                .startsWith(page)
                .contains("## Planted bugs", "0 of 1 were caught", "- SKIPPED: " + bug.does());
        assertThat(ReliabilityPage.csvOfBugs(bugs))
                .startsWith("bug,promise,")
                .contains(bug.does())
                .endsWith(",SKIPPED\n");
        String withSoak = ReliabilityPage.withSoak(withBugs, results, HERE, 8);
        assertThat(withSoak).startsWith(withBugs).contains("## Soak");
        assertThat(ReliabilityPage.withBugs(withSoak, bugs, HERE, 7)).isEqualTo(withSoak);
        assertThat(ReliabilityPage.page(withSoak, results, 3, HERE, 7)).isEqualTo(withSoak);
    }
}
