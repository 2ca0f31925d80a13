package io.limiter.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Cells;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.load.Load;
import io.limiter.benchmark.load.Load.Kind;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.measure.Fakes;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.report.Results;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkTest {

    @Test
    void a_run_leaves_a_page_and_a_chart(@TempDir Path out) throws Exception {
        List<Contender> contenders = new ArrayList<>(Contenders.ALL);
        contenders.removeIf(contender ->
                !List.of("raw-evalsha", "limiter", "bucket4j", "guava").contains(contender.name()));
        contenders.add(Fakes.tooGenerous());
        Options options = new Options(
                List.of(
                        new Cell(KeySpace.HOT, Outcome.GRANTED, new Load(Kind.THREADS, 1)),
                        new Cell(KeySpace.HOT, Outcome.MIXED, new Load(Kind.THREADS, 2))),
                true,
                contenders,
                new Timing(2, 0.05),
                out,
                false);
        Results results;
        try (BenchmarkRedis redis = BenchmarkRedis.open("")) {
            results = Benchmark.measure(options, redis, "the command", line -> {});
        }
        Benchmark.write(results, out);

        assertThat(results.problems()).isEmpty();
        assertThat(Files.readString(out.resolve("README.md")))
                .contains("by `the command`", "](chart.svg)", "### hot, granted, 1 thread\n", "| limiter |")
                .contains("| too-generous ⚠ |", "| bucket4j |")
                .doesNotContain("limiter ⚠", "NaN", "Not to be used");
        String svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(out.resolve("chart.svg").toFile())
                .getDocumentElement()
                .getTextContent();
        assertThat(svg).contains("hot, granted, 1 thread", "limiter", "bucket4j", "prefers-color-scheme");
    }

    @Test
    void options_select_cells_and_subjects_and_always_the_floor() {
        Options options = Options.parse(
                "--cells", "hot-granted-*-threads,memory", "--subjects", "guava,limiter,limiter-*", "--rounds", "5");
        assertThat(options.cells())
                .extracting(Cell::name)
                .containsExactly("hot-granted-1-threads", "hot-granted-16-threads", "hot-granted-64-threads");
        assertThat(options.contenders())
                .extracting(Contender::name)
                .contains("guava", "limiter", "raw-evalsha")
                .doesNotContain("bucket4j");
        assertThat(options.memory()).isTrue();
        assertThat(options.timing()).isEqualTo(new Timing(5, 2));
        assertThat(Options.parse("--cells", "hot-mixed-*").memory()).isFalse();
        assertThat(Options.parse("--cells", "memory").cells()).isEmpty();
    }

    @Test
    void the_short_selection_is_part_of_all() {
        assertThat(Cells.all()).containsAll(Cells.SHORT).doesNotHaveDuplicates();
        assertThat(Options.parse("--short").cells()).isEqualTo(Cells.SHORT);
    }

    @Test
    void a_wrong_option_is_told_what_would_be_right() {
        assertThatThrownBy(() -> Options.parse("--rounds", "0"))
                .hasMessage("--rounds must be a whole number from 1 to 100, was 0");
        assertThatThrownBy(() -> Options.parse("--seconds", "soon"))
                .hasMessage("--seconds must be a number from 0.05 to 600, was soon");
        assertThatThrownBy(() -> Options.parse("--subjects", "sentinel"))
                .hasMessageStartingWith("--subjects: nothing is named sentinel; there are raw-evalsha, ");
        assertThatThrownBy(() -> Options.parse("--cells", "cold"))
                .hasMessageStartingWith("--cells: nothing is named cold; there are ")
                .hasMessageEndingWith(", memory");
        assertThatThrownBy(() -> Options.parse("--quick"))
                .hasMessageStartingWith("there is no option --quick, only\n--short ");
        assertThatThrownBy(() -> Options.parse("--out")).hasMessageStartingWith("--out needs a value:");
        assertThatThrownBy(() -> BenchmarkRedis.open("localhost:6379"))
                .hasMessage("-Dredis must be redis://host:port, was localhost:6379");
    }
}
