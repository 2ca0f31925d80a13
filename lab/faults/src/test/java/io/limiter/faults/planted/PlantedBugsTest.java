package io.limiter.faults.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.faults.experiment.Measure;
import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.judge.Result;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlantedBugsTest {

    /** The limiter still has what a bug changes, and the experiment that must catch it exists. */
    @ParameterizedTest
    @MethodSource("bugs")
    void every_bug_can_be_planted(PlantedBug bug, @TempDir Path folder) throws Exception {
        bug.plant(folder);
        assertThat(folder).isNotEmptyDirectory();
        assertThat(bug.trial().name()).isEqualTo(bug.experiment());
    }

    static List<PlantedBug> bugs() {
        return PlantedBugs.all();
    }

    /** What grows, only a soak can show. */
    @Test
    void each_measure_catches_a_bug() {
        Set<Measure> measures = EnumSet.complementOf(EnumSet.of(Measure.GROWTH, Measure.VALIDITY));
        assertThat(PlantedBugs.all()).extracting(PlantedBug::measure).containsAll(measures);
    }

    @Test
    void each_bug_has_a_name_of_its_own() {
        assertThat(PlantedBugs.all()).extracting(PlantedBug::name).doesNotHaveDuplicates();
    }

    @Test
    void what_the_limiter_has_no_more_is_said(@TempDir Path folder) {
        assertThatThrownBy(
                        () -> Change.method("Lease", "open", Advices.Skip.class).addTo(folder))
                .hasMessage("Lease has no method open any more");
        assertThatThrownBy(() -> Change.script("set.lua", "local", "global").addTo(folder))
                .hasMessage("set.lua does not have this exactly once: local");
        assertThatThrownBy(() -> Change.script("sets.lua", "local", "global").addTo(folder))
                .hasMessageContaining("no script io/limiter/internal/redis/script/sets.lua");
    }

    /** Anything else may have been found by chance. */
    @Test
    void a_bug_is_caught_by_its_own_measure_only() {
        PlantedBug bug = PlantedBugs.all().get(0);
        Result skipped = Result.skipped(bug.trial(), 1, "there is no gcc");
        assertThat(new BugResult(bug, skipped).isCaught()).isFalse();
        for (Measure measure : Measure.values()) {
            Result found = new Result(
                    bug.trial(),
                    1,
                    0,
                    0,
                    null,
                    0,
                    skipped.sources(),
                    skipped.calls(),
                    skipped.control(),
                    skipped.recoveryMicros(),
                    0,
                    0,
                    0,
                    List.of(),
                    List.of(new Violation(measure, "found")),
                    null,
                    null,
                    0);
            assertThat(new BugResult(bug, found).isCaught()).isEqualTo(measure == bug.measure());
        }
    }
}
