package io.limiter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.faults.experiment.Experiment;
import io.limiter.faults.experiment.Experiments;
import io.limiter.faults.planted.PlantedBug;
import io.limiter.faults.planted.PlantedBugs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OptionsTest {

    private static final List<Experiment> ALL = Experiments.all();

    @Test
    void all_experiments_write_the_page_and_some_do_not() {
        assertThat(Options.parse(ALL).experiments()).isEqualTo(ALL);
        assertThat(Options.parse(ALL).page()).isEqualTo(Options.PAGE);
        assertThat(Options.parse(ALL, "--short").page()).isNull();
        assertThat(Options.parse(ALL, "--short", "--out", "a.md").page()).isEqualTo(Path.of("a.md"));
    }

    @Test
    void experiments_are_chosen_by_name() {
        assertThat(Options.parse(ALL, "--only", "clock-back-*,evictions", "--seed", "7")
                        .experiments())
                .extracting(Experiment::name)
                .containsExactly("evictions", "clock-back-1s", "clock-back-60s", "clock-back-and-forth");
        assertThatThrownBy(() -> Options.parse(ALL, "--only", "nothing"))
                .hasMessageStartingWith("--only: nothing is named nothing; there are redis-stopped-1s, ");
    }

    @Test
    void bugs_are_planted_instead_of_experiments_or_chosen_by_name() {
        Options planted = Options.parse(ALL, "--planted");
        assertThat(planted.experiments()).isEmpty();
        assertThat(planted.bugs()).isEqualTo(PlantedBugs.all());
        assertThat(planted.page()).isEqualTo(Options.PAGE);
        Options some = Options.parse(ALL, "--planted", "--only", "breaker-*");
        assertThat(some.bugs())
                .extracting(PlantedBug::name)
                .containsExactly("breaker-never-opens", "breaker-never-closes");
        assertThat(some.page()).isNull();
        assertThat(Options.parse(ALL).bugs()).isEmpty();
    }

    @Test
    void the_page_is_written_again_without_a_run() {
        Options options = Options.parse(ALL, "--page");
        assertThat(options.experiments()).isEmpty();
        assertThat(options.bugs()).isEmpty();
        assertThat(options.page()).isEqualTo(Options.PAGE);
    }

    @Test
    void a_soak_is_as_long_as_wanted_and_writes_no_page_by_itself() {
        Options options = Options.parse(ALL, "--soak", "2");
        assertThat(options.experiments()).extracting(Experiment::name).containsExactly("soak");
        assertThat(options.experiments().get(0).duration()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(4));
        assertThat(options.page()).isNull();
        assertThatThrownBy(() -> Options.parse(ALL, "--soak", "0")).hasMessage("--soak must be at least 1 minute");
    }

    @Test
    void what_is_not_understood_is_said() {
        assertThatThrownBy(() -> Options.parse(ALL, "--all")).hasMessageStartingWith("there is no option --all");
        assertThatThrownBy(() -> Options.parse(ALL, "--seed", "x")).hasMessageContaining("was x");
        assertThatThrownBy(() -> Options.parse(ALL, "--seed")).hasMessageStartingWith("--seed needs a value");
    }

    @Test
    void each_experiment_says_what_it_does_and_has_a_name_of_its_own() {
        assertThat(ALL).extracting(Experiment::name).doesNotHaveDuplicates();
        assertThat(ALL).allSatisfy(experiment -> {
            assertThat(experiment.does()).isNotEmpty();
            assertThat(experiment.promise()).isNotEmpty();
        });
    }

    @Test
    void the_short_selection_promises_what_the_whole_suite_does() {
        assertThat(ALL).containsAll(Options.parse(ALL, "--short").experiments());
        assertThat(Options.parse(ALL, "--short").bugs()).isNotEmpty();
    }

    @Test
    void the_short_selection_takes_less_than_five_minutes() {
        Options selected = Options.parse(ALL, "--short");
        assertThat(Stream.concat(
                                selected.experiments().stream(),
                                selected.bugs().stream().map(PlantedBug::trial))
                        .map(Experiment::duration)
                        .reduce(Duration.ZERO, Duration::plus))
                .isLessThan(Duration.ofMinutes(5));
    }
}
