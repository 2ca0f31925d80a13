package io.limiter.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.measure.Fakes;
import io.limiter.benchmark.measure.Stage;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.report.BenchmarkPage;
import io.limiter.benchmark.report.Environment;
import io.limiter.benchmark.report.Results;
import io.limiter.benchmark.report.Results.Finished;
import io.limiter.benchmark.report.ResultsFile;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkTest {

    private static final Timing TINY = new Timing(1, 0.05, 0.05);

    @TempDir
    private Path dir;

    @Test
    void a_run_leaves_a_page_and_its_figures() throws Exception {
        List<Contender> contenders = some("raw-evalsha", "limiter", "bucket4j", "gateway-script");
        Results results = measure(options(List.of("hot-granted-1-threads", "tail", "memory"), contenders, false));

        assertThat(results.problems()).isEmpty();
        assertThat(Files.readString(dir.resolve("README.md")))
                .contains(
                        "by `the command`",
                        "Bucket4j 8.",
                        "| 1 thread, one key |",
                        "## Tail latency, JDK ",
                        "| limiter |",
                        "[figures.csv](figures.csv)")
                .doesNotContain("limiter ⚠", "NaN", "Not to be used", "of unknown version");
        assertThat(Files.readString(dir.resolve("figures.csv")))
                .startsWith("table,row,column,value\n")
                .containsPattern("\"hot, granted, 1 thread, JDK \\d+\",bucket4j,decisions/s,")
                .containsPattern("\"Summary, JDK \\d+\",\"1 thread, one key\",best peer,")
                .doesNotContain("NaN");
    }

    @Test
    void a_part_replaces_its_own_sections_and_figures() throws Exception {
        List<Contender> contenders = some("raw-evalsha", "limiter");
        measure(options(List.of("hot-granted-1-threads", "tail"), contenders, false));
        String marked = Files.readString(dir.resolve("README.md"))
                .replace("| 1 thread, one key |", "| replaced |")
                .replace("What each promises:", "What each promised:")
                .replace("64 blocking threads", "kept threads");
        Files.writeString(dir.resolve("README.md"), marked);
        measure(options(List.of("hot-granted-1-threads", "hot-granted-16-threads-rtt-500"), contenders, false));
        assertThat(Files.readString(dir.resolve("README.md")))
                .containsOnlyOnce("## Summary, JDK ")
                .containsOnlyOnce("## Round trip of 0.5 ms, JDK ")
                .containsOnlyOnce("## How it was measured")
                .contains("kept threads", "What each promised:", "`PING` of a client alone took ")
                .doesNotContain("| replaced |");
        assertThat(Files.readString(dir.resolve("figures.csv")))
                .containsOnlyOnce("table,row,column,value")
                .containsPattern("\"Tail latency, JDK \\d+\",limiter,")
                .containsPattern("\"hot, granted, 16 threads, round trip 500 µs, JDK \\d+\",limiter,decisions/s,");
    }

    @Test
    void who_grants_too_much_is_marked_and_never_the_best_peer() throws Exception {
        List<Contender> contenders = new ArrayList<>(some("raw-evalsha", "limiter", "redisson"));
        contenders.add(Fakes.tooGenerous());
        measure(options(List.of("hot-granted-1-threads"), contenders, false));
        assertThat(Files.readString(dir.resolve("README.md")))
                .contains("none, except by too-generous (", " (redisson) |");
        assertThat(Files.readString(dir.resolve("figures.csv"))).contains(",too-generous ⚠,decisions/s,");
    }

    @Test
    void an_interrupted_run_is_continued() throws Exception {
        List<Contender> contenders = some("raw-evalsha", "limiter");
        List<String> both = List.of("hot-granted-1-threads", "hot-granted-16-threads");
        Results first = measure(options(both.subList(0, 1), contenders, false));
        Results second = measure(options(both, contenders, true));
        assertThat(second.parts()).extracting(Finished::part).containsExactlyElementsOf(both);
        assertThat(second.cells().get(0)).isEqualTo(first.cells().get(0));
        assertThat(measure(options(both.subList(1, 2), contenders, false)).parts())
                .extracting(Finished::part)
                .containsExactly("hot-granted-16-threads");
    }

    @Test
    void only_a_run_with_the_same_times_is_continued() throws Exception {
        ResultsFile file = ResultsFile.of(dir, 17);
        assertThatThrownBy(() -> file.checkContinued(TINY)).hasMessageStartingWith("--continue: there is no ");
        file.startOver(Environment.here("7.0", TINY, "the command"));
        file.checkContinued(TINY);
        assertThatThrownBy(() -> file.checkContinued(new Timing(5, 2, 15)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(
                        " was measured in 1 round of 0.05 s after 0.05 s of warm-up, not in 5 rounds of 2 s after 15 s of warm-up");
    }

    @Test
    void the_runs_on_all_jdks_are_on_one_page() throws Exception {
        ResultsFile.of(dir, 9).startOver(Environment.here("7.0", TINY, "the command of another day"));
        Options options = options(List.of("hot-granted-1-threads"), some("raw-evalsha", "limiter"), false);
        measure(options);
        assertThat(Files.readString(dir.resolve("README.md"))).doesNotContain("another day");
        measure(new Options(
                options.parts(), options.contenders(), true, options.timing(), dir, dir, true, false, false));
        assertThat(Files.readString(dir.resolve("README.md")))
                .contains("`the command of another day`", "`the command`");
    }

    @Test
    void what_the_stages_of_a_decision_cost_is_kept_and_shown() throws Exception {
        ResultsFile file = ResultsFile.of(dir, 25);
        file.startOver(Environment.here("7.0", TINY, "the command"));
        Map<Stage, Double> nanos = Map.of(Stage.QUEUE, 190.4, Stage.CLIENT, 116.0);
        file.add(Finished.stages(
                "stages", List.of(new Stage.Costs(Cell.HOT_64_ASYNC, nanos, Map.of(Stage.QUEUE, 28.6)))));
        assertThat(BenchmarkPage.figures(List.of(file.read(some("limiter"))), ""))
                .contains(
                        ",queue and batch,atomic operations,6\n",
                        ",queue and batch,\"hot, granted, 64 async: ns\",190\n",
                        ",queue and batch,\"hot, granted, 64 async: bytes\",29\n",
                        ",Lettuce and Netty,\"hot, granted, 64 async: ns\",116\n");
    }

    private Options options(List<String> parts, List<Contender> contenders, boolean continued) {
        return new Options(parts, contenders, true, TINY, dir, dir, false, continued, false);
    }

    private static Results measure(Options options) throws Exception {
        try (BenchmarkRedis redis = BenchmarkRedis.open("")) {
            return Benchmark.measure(options, redis, "the command", text -> {});
        }
    }

    private static List<Contender> some(String... names) {
        return Contenders.ALL.stream()
                .filter(contender -> List.of(names).contains(contender.name()))
                .toList();
    }

    @Test
    void options_select_cells_and_subjects_and_always_the_floor() {
        Options options = Options.parse(
                "--cells", "hot-granted-*-threads,memory", "--subjects", "guava,limiter,limiter-*", "--rounds", "4");
        assertThat(options.parts())
                .containsExactly("hot-granted-1-threads", "hot-granted-16-threads", "hot-granted-64-threads", "memory");
        assertThat(options.contenders())
                .extracting(Contender::name)
                .contains("guava", "limiter", "raw-evalsha")
                .doesNotContain("bucket4j");
        assertThat(options.timing()).isEqualTo(new Timing(4, 2, 15));
    }

    @Test
    void only_the_whole_comparison_changes_the_page_of_the_documentation() {
        Path part = Path.of("target", "benchmark", "part");
        assertThat(Options.parse().out()).isEqualTo(Path.of("docs", "benchmark"));
        assertThat(Options.parse("--rounds", "1").out()).isEqualTo(Path.of("docs", "benchmark"));
        assertThat(Options.parse("--short").out()).isEqualTo(part);
        assertThat(Options.parse("--cells", "hot-*").out()).isEqualTo(part);
        assertThat(Options.parse("--subjects", "limiter").out()).isEqualTo(part);
        assertThat(Options.parse("--short", "--out", "here").out()).isEqualTo(Path.of("here"));
        assertThat(Options.parse().results())
                .isNotEqualTo(Options.parse("--short").results());
    }

    @Test
    void the_short_selection_is_part_of_all() {
        assertThat(Cell.all()).containsAll(Cell.SUMMARY).doesNotHaveDuplicates();
        assertThat(Part.WHOLE).containsAll(Options.parse("--short").parts());
        assertThat(Options.parse().parts()).isEqualTo(Part.WHOLE);
    }

    @Test
    void variants_take_part_in_two_cells_unless_they_are_selected() {
        assertThat(namesIn(Options.parse(), Cell.HOT_64_THREADS)).contains("limiter", "limiter-plain");
        assertThat(namesIn(Options.parse(), Cell.HOT_16_THREADS))
                .contains("limiter")
                .doesNotContain("limiter-plain");
        assertThat(namesIn(Options.parse("--subjects", "limiter-plain"), Cell.HOT_16_THREADS))
                .containsExactly("raw-evalsha", "limiter-plain");
    }

    private static List<String> namesIn(Options options, Cell cell) {
        return options.contendersIn(cell).stream().map(Contender::name).toList();
    }

    @Test
    void a_wrong_option_is_an_error_with_the_right_ones() {
        assertThatThrownBy(() -> Options.parse("--rounds", "0"))
                .hasMessage("--rounds must be a whole number from 1 to 100, was 0");
        assertThatThrownBy(() -> Options.parse("--seconds", "soon"))
                .hasMessage("--seconds must be a number from 0.05 to 600, was soon");
        assertThatThrownBy(() -> Options.parse("--subjects", "sentinel"))
                .hasMessageStartingWith("--subjects: nothing is named sentinel; there are raw-evalsha, ");
        assertThatThrownBy(() -> Options.parse("--cells", "cold"))
                .hasMessageStartingWith("--cells: nothing is named cold; there are ")
                .hasMessageContaining(", tail, memory, hot-granted-1-threads-rtt-500, ");
        assertThatThrownBy(() -> Options.parse("--quick"))
                .hasMessageStartingWith("there is no option --quick, only\n--short ");
        assertThatThrownBy(() -> Options.parse("--out")).hasMessageStartingWith("--out needs a value:");
        assertThatThrownBy(() -> BenchmarkRedis.open("localhost:6379"))
                .hasMessage("-Dredis must be redis://host:port, was localhost:6379");
    }
}
