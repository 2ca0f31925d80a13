package io.limiter.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.experiment.Experiments.Family;
import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.planted.PlantedBugs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
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
        Family family = Experiments.families().get(1);
        ReliabilityPage page = EMPTY.with(
                family.experiments().stream().map(ReliabilityPageTest::skipped).toList(), HERE, 7);
        assertThat(page.text())
                .containsOnlyOnce("| " + family.name() + " | " + family.promise() + " | "
                        + family.experiments().size() + " | 0.0 | SKIPPED |");
    }

    /** A JVM that counts no other grants the whole limit, which is not what most fleets see. */
    @Test
    void experiments_whose_instances_do_not_count_each_other_have_a_row_of_their_own() {
        List<Result> results = Experiments.all().stream()
                .map(each -> held(each, each.counted() == 1 ? 700 : 200))
                .toList();
        String page = EMPTY.with(results, HERE, 7).text();
        List<String> rows =
                page.lines().filter(line -> line.endsWith(" | held |")).toList();
        List<Family> families = Experiments.families();
        assertThat(rows).hasSize(families.size() + 1);
        for (int i = 0; i < families.size(); i++) {
            boolean counts = families.get(i).experiments().stream().anyMatch(each -> each.counted() > 1);
            assertThat(rows.get(i))
                    .startsWith("| " + families.get(i).name())
                    .endsWith(counts ? " | 200.0 | held |" : " | 700.0 | held |");
        }
        assertThat(rows.get(families.size()))
                .startsWith("| Any of the above, while the instances do not count each other")
                .endsWith(" | 700.0 | held |");
        assertThat(rows.stream()
                        .mapToInt(row -> Integer.parseInt(row.split(" \\| ", -1)[2]))
                        .sum())
                .isEqualTo(Experiments.all().size());
    }

    @Test
    void a_run_that_could_not_be_judged_is_counted_and_changes_nothing_else() {
        Experiment first = Experiments.all().get(0);
        PlantedBug bug = PlantedBugs.all().get(0);
        ReliabilityPage page = EMPTY.with(List.of(held(first, 1)), HERE, 7).withBugs(bugs(bug), HERE, 7);
        assertThat(page.text()).contains("in no run of the experiments and in no run with a planted bug");
        ReliabilityPage later = page.with(
                        List.of(notJudged(first, 1), notJudged(Experiments.all().get(1), 3)), LATER, 8)
                .withBugs(List.of(new BugResult(bug, notJudged(bug.trial(), 2))), LATER, 8);
        assertThat(later.text()).contains("in one run of the experiments and in 2 runs with a planted bug");
        assertThat(without("runs not judged", later.experiments()))
                .isEqualTo(without("runs not judged", page.experiments()));
        assertThat(without("runs not judged", later.bugs())).isEqualTo(without("runs not judged", page.bugs()));
        ReliabilityPage latest = later.with(List.of(notJudged(first, 3)), LATER, 9)
                .withBugs(List.of(new BugResult(PlantedBugs.all().get(1), notJudged(bug.trial(), 3))), LATER, 9);
        assertThat(latest.text()).contains("in 4 runs of the experiments and in 5 runs with a planted bug");
    }

    private static List<Map<String, String>> without(String column, Csv table) {
        return table.rows().stream()
                .map(row -> {
                    Map<String, String> others = new HashMap<>(row);
                    others.remove(column);
                    return others;
                })
                .toList();
    }

    private static Result held(Experiment experiment, double excess) {
        return result(experiment, excess, List.of(), null, 0);
    }

    private static Result found(PlantedBug bug) {
        return result(bug.trial(), 0, List.of(new Violation(bug.measure(), "found")), null, 0);
    }

    private static Result notJudged(Experiment experiment, int runs) {
        return result(experiment, 0, List.of(), "the machine took 80 % of the time", runs);
    }

    private static Result result(
            Experiment experiment,
            double excess,
            List<Violation> violations,
            @Nullable String notJudged,
            int runsNotJudged) {
        Result.Latency calls = new Result.Latency(1, 2, 3);
        return new Result(
                experiment,
                7,
                excess,
                0,
                null,
                0,
                Map.of(),
                calls,
                calls,
                OptionalLong.of(1),
                1,
                0,
                0,
                List.of(),
                violations,
                null,
                notJudged,
                runsNotJudged);
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

    @Test
    void where_no_bug_was_missed_nothing_is_left_empty() {
        List<BugResult> caught = PlantedBugs.all().stream()
                .map(bug -> new BugResult(bug, found(bug)))
                .toList();
        ReliabilityPage page = EMPTY.withBugs(caught, HERE, 7);
        assertThat(page.text())
                .contains(caught.size() + " of " + caught.size() + " were caught")
                .contains("(reliability-bugs.csv).\n\nThe code and the machine:\n\n- 2026-11-22");
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
