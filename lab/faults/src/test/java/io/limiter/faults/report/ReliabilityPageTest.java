package io.limiter.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.experiment.Experiments.Family;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.planted.PlantedBugs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReliabilityPageTest {

    private static final Evidence HERE = new Evidence("12345678", "2026-11-22", "a JVM", "Redis 6.2.11", 2);
    private static final Evidence LATER = new Evidence("23456789", "2026-11-23", "a JVM", "Redis 8.0.2", 2);
    private static final Csv NOTHING = Csv.parse("");
    private static final ReliabilityPage EMPTY = new ReliabilityPage(NOTHING, NOTHING, NOTHING);

    private static Result skipped(Experiment experiment) {
        return Result.skipped(experiment, 7, "there is no gcc, \"cc\" or clang");
    }

    @Test
    void what_could_not_run_is_said_loudly() {
        Experiment experiment = Experiments.all().get(0);
        ReliabilityPage page = EMPTY.with(List.of(skipped(experiment)), HERE, 7);
        assertThat(page.text())
                .contains("0 of 1 (a selection of the " + Experiments.all().size() + ") experiments held")
                .contains("- **" + experiment.name() + "** (SKIPPED): there is no gcc")
                .contains(" | 1 | 0.0 | SKIPPED |")
                .contains("- 2026-11-22, commit 12345678, a JVM, Redis 6.2.11, 2 processors, seed 7")
                .doesNotContain("${");
        assertThat(Summary.of(List.of(skipped(experiment)), HERE))
                .contains("SKIPPED", experiment.name() + ": there is no gcc");
        assertThat(page.experiments().toString())
                .startsWith("experiment,family,what is done,promise,share,excess,")
                .contains("\n" + experiment.name() + ",", experiment.does())
                .endsWith(
                        ",SKIPPED,\"there is no gcc, \"\"cc\"\" or clang\",0,7,12345678,2026-11-22,a JVM,Redis 6.2.11,2\n");
    }

    @Test
    void experiments_of_a_family_share_a_row() {
        Family family = Experiments.families().get(0);
        ReliabilityPage page = EMPTY.with(
                family.experiments().stream().map(ReliabilityPageTest::skipped).toList(), HERE, 7);
        assertThat(page.text())
                .containsOnlyOnce("| " + family.name() + " | " + family.promise() + " | "
                        + family.experiments().size() + " | 0.0 | SKIPPED |");
    }

    @Test
    void each_experiment_has_a_family() {
        assertThat(Experiments.all())
                .allSatisfy(each -> assertThat(Experiments.familyOf(each)).isNotEmpty());
    }

    @Test
    void an_experiment_that_runs_again_replaces_its_row_alone(@TempDir Path folder) throws Exception {
        Path page = folder.resolve("page.md");
        Experiment first = Experiments.all().get(0);
        Experiment second = Experiments.all().get(1);
        EMPTY.with(List.of(skipped(first), skipped(second)), HERE, 7)
                .withBugs(bugs(PlantedBugs.all().get(1)), HERE, 7)
                .withSoak(List.of(skipped(first)), HERE, 7)
                .write(page);
        ReliabilityPage.read(page)
                .with(List.of(skipped(first)), LATER, 8)
                .withBugs(bugs(PlantedBugs.all().get(0)), LATER, 8)
                .write(page);
        ReliabilityPage read = ReliabilityPage.read(page);
        assertThat(read.experiments().rows())
                .extracting(row -> row.get("experiment") + row.get("commit"))
                .containsExactly(first.name() + "23456789", second.name() + "12345678");
        assertThat(read.bugs().rows())
                .hasSameSizeAs(PlantedBugs.all())
                .extracting(row -> row.get("bug") + row.get("verdict") + row.get("commit"))
                .startsWith(
                        PlantedBugs.all().get(0).name() + "SKIPPED23456789",
                        PlantedBugs.all().get(1).name() + "SKIPPED12345678",
                        PlantedBugs.all().get(2).name() + "NOT RUN");
        assertThat(read.soak().rows()).extracting(row -> row.get("commit")).containsExactly("12345678");
        assertThat(read.text()).isEqualTo(Files.readString(page));
    }

    @Test
    void bugs_that_were_missed_are_named() {
        PlantedBug bug = PlantedBugs.all().get(0);
        ReliabilityPage page = EMPTY.withBugs(bugs(bug), HERE, 7);
        assertThat(page.text())
                .contains(
                        "0 of " + PlantedBugs.all().size() + " were caught",
                        "- SKIPPED: " + bug.does(),
                        "- NOT RUN: " + PlantedBugs.all().get(1).does());
    }

    /** Otherwise run those that are missing, with --planted --only and --out, and write the page with --page. */
    @Test
    void the_page_of_the_repository_is_of_its_tables_and_these_of_all_planted_bugs() throws Exception {
        Path file = Path.of("..", "..", "docs", "reliability.md");
        ReliabilityPage page = ReliabilityPage.read(file);
        assertThat(page.text()).isEqualTo(Files.readString(file));
        assertThat(page.bugs().rows())
                .extracting(row -> row.get("bug"))
                .containsExactlyElementsOf(
                        PlantedBugs.all().stream().map(PlantedBug::name).toList());
        assertThat(Experiments.all())
                .extracting(Experiment::name)
                .containsAll(page.experiments().rows().stream()
                        .map(row -> row.get("experiment"))
                        .toList());
    }

    private static List<BugResult> bugs(PlantedBug bug) {
        return List.of(new BugResult(bug, skipped(bug.trial())));
    }
}
