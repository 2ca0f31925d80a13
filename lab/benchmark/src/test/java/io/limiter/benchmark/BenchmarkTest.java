package io.limiter.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.benchmark.load.Arrivals;
import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.FleetLoad;
import io.limiter.benchmark.measure.ArrivalRunner;
import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.measure.Fakes;
import io.limiter.benchmark.measure.FleetRunner;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.outage.FleetResult;
import io.limiter.benchmark.report.BenchmarkPages;
import io.limiter.benchmark.report.Environment;
import io.limiter.benchmark.report.Results;
import io.limiter.benchmark.report.Results.Finished;
import io.limiter.benchmark.report.ResultsFile;
import io.limiter.benchmark.server.ServerApplication.Limiting;
import io.limiter.benchmark.server.ServerApplication.Server;
import io.limiter.benchmark.server.ServerRunner;
import io.limiter.benchmark.server.ServerRunner.Round;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchmarkTest {

    private static final Timing TINY = new Timing(1, 0.05, 0.05);

    @TempDir
    private Path dir;

    @Test
    void a_run_leaves_two_pages_and_its_figures() throws Exception {
        List<Contender> contenders = some("raw-evalsha", "limiter", "bucket4j-batching", "gateway-script");
        Results results =
                measure(options(List.of("hot-granted-1-threads", "arrivals-hot-5000", "memory"), contenders, false));

        assertThat(results.problems()).isEmpty();
        assertThat(users())
                .contains("| 1 thread, one key |", "[figures.csv](figures.csv)", "[More tables](contributors.md)")
                .contains("## Requests at a fixed rate, JDK ", "| 5,000/s, one key, limiter |", "one key, no limit |")
                .doesNotContain("by `the command`", "NaN", "Not to be used");
        assertThat(contributors())
                .contains(
                        "[The page for users](README.md)",
                        "by `the command`",
                        "Bucket4j 8.",
                        "[figures.csv](figures.csv)")
                .doesNotContain("| 1 thread, one key |", "limiter ⚠", "NaN", "Not to be used", "of unknown version");
        assertThat(figures())
                .startsWith("table,row,column,value,commit,date,jvm,server,processors\n")
                .containsPattern("(?m),[0-9a-f]{8}\\+?,20[-0-9]+,[^,]+,\\w+ [0-9.]+,\\d+$")
                .containsPattern("\"hot, granted, 1 thread, JDK \\d+\",bucket4j-batching,decisions/s,")
                .containsPattern("\"Summary, JDK \\d+\",\"1 thread, one key\",best peer,")
                .doesNotContain("NaN");
    }

    @Test
    void a_part_replaces_its_own_sections_and_figures() throws Exception {
        List<Contender> contenders = some("raw-evalsha", "limiter");
        measure(options(List.of("hot-granted-1-threads", "arrivals-hot-1000"), contenders, false));
        Files.writeString(
                dir.resolve("README.md"),
                users().replace("| 1 thread, one key |", "| replaced |").replace("The floor, ", "The kept floor, "));
        Files.writeString(
                dir.resolve("contributors.md"),
                contributors()
                        .replace("What each promises:", "What each promised:")
                        .replace("64 threads serve", "kept threads serve"));
        List<String> ofBothPages = List.of("hot-granted-16-threads-rtt-500", "hot-granted-1024-async-rtt-500");
        List<String> parts = Stream.concat(Stream.of("hot-granted-1-threads"), ofBothPages.stream())
                .toList();
        measure(options(parts, contenders, false));
        assertThat(users())
                .containsOnlyOnce("## Summary, JDK ")
                .containsOnlyOnce("## Round trip of 0.5 ms, JDK ")
                .containsOnlyOnce("## How it was measured")
                .contains("The kept floor, ", "| 16 threads, one key |", "`PING` alone took ")
                .doesNotContain("| replaced |", "| 1,024 asynchronous, one key |");
        assertThat(contributors())
                .containsOnlyOnce("## Round trip of 0.5 ms, JDK ")
                .containsOnlyOnce("## How it was measured")
                .contains("kept threads", "What each promised:", "| 16 threads, one key |")
                .contains("| 1,024 asynchronous, one key |")
                .doesNotContain("## Summary");
        assertThat(figures())
                .containsOnlyOnce("table,row,column,value")
                .satisfies(text -> assertThat(text.lines()
                                .filter(line ->
                                        line.matches("\"hot, granted, 1 thread, JDK \\d+\",limiter,decisions/s,.*")))
                        .hasSize(1))
                .containsPattern("\"Requests at a fixed rate, JDK \\d+\",\"1,000/s, one key, limiter\",")
                .containsPattern("\"hot, granted, 16 threads, round trip 500 µs, JDK \\d+\",limiter,decisions/s,");
    }

    @Test
    void the_call_to_redis_is_shown_next_to_the_cost_of_a_limit_on_a_server() throws Exception {
        List<ServerRunner.Result> servers = new ArrayList<>();
        for (Server server : Server.values()) {
            for (Map.Entry<Limiting, Integer> each : Map.of(
                            Limiting.NONE, 1000, Limiting.RAW, 600, Limiting.ANNOTATION, 500, Limiting.RULE, 200)
                    .entrySet()) {
                Round round = new Round(each.getValue() * (1 + server.ordinal()), 1_000, 2_000, 3, 4);
                servers.add(new ServerRunner.Result(server, each.getKey(), List.of(round)));
            }
        }
        Results results = new Results(
                Environment.here("7.0", TINY, "the command"),
                some("limiter"),
                List.of(Finished.servers("servers", servers)));
        Options.pages(dir).write(List.of(results), true);
        assertThat(users() + contributors())
                .contains("| Tomcat, no limit | 1,000 (1,000–1,000) | – | 1 | 2 | 3 | 4 |")
                .contains("| Netty, WebFlux, `@RateLimit` | 1,500 (1,500–1,500) | 0.5 (0.5–0.5) | 1 | 2 | 3 | 4 |")
                .contains("costs 40 % of the requests, and a limit, whose requests share calls, 65 %.");
        assertThat(users()).contains("| Tomcat, raw `EVALSHA` |").doesNotContain("| Netty", "HTTP rule by address");
        assertThat(contributors()).contains("| Tomcat, virtual threads, no limit |", "HTTP rule by address");
    }

    @Test
    void what_a_decision_adds_to_a_request_is_shown_next_to_the_same_requests_without_it() throws Exception {
        List<ArrivalRunner.Result> all = new ArrayList<>();
        for (Arrivals arrivals : Arrivals.LOCAL) {
            double caller = arrivals.perSecond() / 100.0;
            Latency latency = new Latency(100, 1_000, 2_000);
            all.add(new ArrivalRunner.Result(
                    ArrivalRunner.NO_LIMIT, arrivals, List.of(new ArrivalRunner.Round(latency, caller, 0))));
            all.add(new ArrivalRunner.Result(
                    "limiter", arrivals, List.of(new ArrivalRunner.Round(latency, caller + 20, 4))));
        }
        Results results = new Results(
                Environment.here("7.0", TINY, "the command"),
                some("limiter"),
                List.of(
                        Finished.arrivals("arrivals", all),
                        Finished.memory("memory", List.of(new KeyMemory("limiter", 100, 120)))));
        Options.pages(dir).write(List.of(results), true);
        assertThat(users())
                .contains("| 5,000/s, one key, no limit | 0.1 (0.1–0.1) | 1 (1–1) | – | – |")
                .contains("| 5,000/s, one key, limiter | 0.1 (0.1–0.1) | 1 (1–1) | 20 | 4 |");
        assertThat(figures())
                .containsPattern("\"Requests at a fixed rate, JDK \\d+\",\"10,000/s, 10,000 keys, limiter\",[^,]+,20,")
                .containsPattern("16 characters, JDK \\d+\",limiter,after 1 grant,100,")
                .containsPattern("16 characters, JDK \\d+\",limiter,\"after 1,000 grants\",120,");
    }

    @Test
    void a_fleet_is_shown_with_and_without_prefetch_in_one_row() throws Exception {
        List<FleetRunner.Result> fleets = new ArrayList<>();
        for (FleetLoad load : FleetLoad.of(10)) {
            for (boolean prefetching : new boolean[] {false, true}) {
                Latency latency = new Latency(prefetching ? 50 : load.capacity() / 25.0, 1_000, 2_000);
                fleets.add(new FleetRunner.Result(
                        load,
                        prefetching,
                        List.of(new FleetRunner.Round(
                                latency,
                                prefetching ? 0.16 : 0.98,
                                prefetching ? 0.995 : 0,
                                1,
                                0,
                                prefetching ? 102 : 100))));
            }
        }
        Results results = new Results(
                Environment.here("7.0", TINY, "the command"),
                some("limiter"),
                List.of(Finished.fleets("fleets", fleets)));
        assertThat(results.problems()).isEmpty();
        Options.pages(dir).write(List.of(results), true);
        assertThat(users())
                .contains("## Prefetch in a fleet, JDK ")
                .containsOnlyOnce("| limit 10,000/s, 5,000/s for one key, 10 instances |")
                .contains(
                        "| limit 10,000/s, 5,000/s for one key, 10 instances | 500 | 0.98 / 0.16 | 0.4 / 0.05 | 1 / 1 | 99.5 %"
                                + " | 100 / 100 % | 0 / 0 % | 102 of 10,500 |")
                .contains("| limit 1,000/s, 5,000/s for 10,000 keys, 10 instances | 0.05 | ")
                .doesNotContain("limit 100/s, 5,000/s for 10,000 keys");
        assertThat(contributors()).contains("| limit 100/s, 5,000/s for 10,000 keys, 10 instances | 0.05 | ");
        assertThat(figures())
                .contains(",\"limit 10,000/s, 5,000/s for one key, 10 instances\",calls per decision,0.98 / 0.16,");
    }

    @Test
    void outages_have_a_section_and_a_file_in_which_other_libraries_stay() throws Exception {
        writeOutages(
                outage("limiter", "1,000/s", 7, 9L, 0, 410.0),
                outage("limiter", "1/min", 3, 9L, 0, 410.0),
                outage("redisson", "1,000/s", 0, null, 1, null));
        assertThat(users())
                .containsOnlyOnce("## While Redis fails, JDK ")
                .contains(
                        "| limiter, 4 instances, 1,000/s | p99 1 ms, longest 2.5 s, 0 errors, 7 above, back 410 ms | – |")
                .contains("| redisson, 4 instances, 1,000/s | p99 1 ms, longest > 2.5 s, 1 error, 0 above, not back |")
                .contains("Grants above these bounds: none.")
                .doesNotContain("| limiter, 4 instances, 1/min |");
        assertThat(contributors())
                .contains("| limiter, 4 instances, 1/min | p99 1 ms, longest 2.5 s, 0 errors, 3 above");
        assertThat(outages())
                .startsWith("library,instances,limit,fault,")
                .containsPattern(
                        "(?m)^limiter,4,1000/s,stopped,10.000,50,40,0,0,7,9,0.500,1.000,2500.000,410.000,[0-9a-f]{8}\\+?,")
                .containsPattern(
                        "(?m)^redisson,4,1000/s,stopped,10.000,50,40,1,1,0,,0.500,1.000,2500.000,,[0-9a-f]{8}");

        Results second = writeOutages(outage("limiter", "1,000/s", 8, 7L, 0, 10.0));
        assertThat(second.problems())
                .containsExactly("limiter granted 1 above what its pages allow, with 4 instances, 1,000/s, stopped");
        assertThat(outages())
                .containsOnlyOnce("limiter,4,1000/s,")
                .contains(",0,0,8,7,")
                .contains("limiter,4,1/min,", "redisson,4,");
        assertThat(figures()).doesNotContain("While Redis fails");
    }

    private static FleetResult outage(
            String library,
            String limit,
            long above,
            @Nullable Long documented,
            long errors,
            @Nullable Double recovery) {
        long beyond = documented == null ? 0 : Math.max(0, above - documented);
        return new FleetResult(
                library,
                4,
                limit,
                "stopped",
                10,
                50,
                40,
                errors,
                errors,
                above,
                documented,
                beyond,
                0.5,
                1,
                2500,
                recovery);
    }

    private Results writeOutages(FleetResult... outages) throws IOException {
        Results results = new Results(
                Environment.here("7.0", TINY, "the command"),
                some("limiter"),
                List.of(Finished.outages("outage", List.of(outages))));
        Options.pages(dir).write(List.of(results), false);
        return results;
    }

    private String outages() throws IOException {
        return Files.readString(dir.resolve("outage.csv"));
    }

    @Test
    void who_grants_too_much_is_marked_and_never_the_best_peer() throws Exception {
        List<Contender> contenders = new ArrayList<>(some("raw-evalsha", "limiter", "redisson"));
        contenders.add(Fakes.tooGenerous());
        measure(options(List.of("hot-granted-1-threads"), contenders, false));
        assertThat(users()).contains("none, except by too-generous (", " (redisson) |");
        assertThat(figures()).contains(",too-generous ⚠,decisions/s,");
    }

    @Test
    void an_interrupted_run_is_continued() throws Exception {
        List<Contender> contenders = some("raw-evalsha", "limiter");
        List<String> both = List.of("hot-granted-1-threads", "hot-granted-16-threads");
        Results first = measure(options(both.subList(0, 1), contenders, false));
        Files.writeString(dir.resolve("README.md"), users().replace("The floor, ", "The kept floor, "));
        Results second = measure(options(both, contenders, true));
        assertThat(second.parts()).extracting(Finished::part).containsExactlyElementsOf(both);
        assertThat(second.cells().get(0)).isEqualTo(first.cells().get(0));
        assertThat(users()).contains("The kept floor, ", "| 16 threads, one key |");
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
    void the_runs_on_all_jdks_are_shown_together() throws Exception {
        ResultsFile.of(dir, 9).startOver(Environment.here("7.0", TINY, "the command of another day"));
        Options options = options(List.of("hot-granted-1-threads"), some("raw-evalsha", "limiter"), false);
        measure(options);
        assertThat(contributors()).doesNotContain("another day");
        measure(new Options(
                options.parts(),
                options.contenders(),
                options.timing(),
                options.pages(),
                dir,
                true,
                true,
                false,
                false));
        assertThat(contributors()).contains("`the command of another day`", "`the command`");
    }

    private Options options(List<String> parts, List<Contender> contenders, boolean continued) {
        return new Options(parts, contenders, TINY, Options.pages(dir), dir, continued, false, continued, false);
    }

    private String users() throws IOException {
        return Files.readString(dir.resolve("README.md"));
    }

    private String contributors() throws IOException {
        return Files.readString(dir.resolve("contributors.md"));
    }

    private String figures() throws IOException {
        return Files.readString(dir.resolve("figures.csv"));
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
                .doesNotContain("bucket4j-batching");
        assertThat(options.timing()).isEqualTo(new Timing(4, 2, 15));
    }

    @Test
    void only_the_whole_comparison_changes_the_pages_of_the_repository() {
        BenchmarkPages repository = new BenchmarkPages(
                Path.of("docs/benchmark/README.md"),
                Path.of("lab/benchmark/README.md"),
                Path.of("docs/benchmark/figures.csv"));
        BenchmarkPages part = Options.pages(Path.of("target", "benchmark", "part"));
        assertThat(Options.parse().pages()).isEqualTo(repository);
        assertThat(Options.parse("--rounds", "1").pages()).isEqualTo(repository);
        assertThat(Options.parse("--short").pages()).isEqualTo(part);
        assertThat(Options.parse("--cells", "hot-*").pages()).isEqualTo(part);
        assertThat(Options.parse("--subjects", "limiter").pages()).isEqualTo(part);
        assertThat(Options.parse("--short", "--out", "here").pages()).isEqualTo(Options.pages(Path.of("here")));
        assertThat(Options.parse("--short", "--out", "docs/benchmark").pages()).isEqualTo(repository);
        assertThat(Options.parse("--continue").whole()).isTrue();
        assertThat(Options.parse("--short", "--continue").whole()).isFalse();
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
    void a_wrong_option_is_an_error_with_the_right_ones() {
        assertThatThrownBy(() -> Options.parse("--rounds", "0"))
                .hasMessage("--rounds must be a whole number from 1 to 100, was 0");
        assertThatThrownBy(() -> Options.parse("--seconds", "soon"))
                .hasMessage("--seconds must be a number from 0.05 to 600, was soon");
        assertThatThrownBy(() -> Options.parse("--subjects", "sentinel"))
                .hasMessageStartingWith("--subjects: nothing is named sentinel; there are raw-evalsha, ");
        assertThatThrownBy(() -> Options.parse("--cells", "cold"))
                .hasMessageStartingWith("--cells: nothing is named cold; there are ")
                .hasMessageContaining(", memory, hot-granted-16-threads-rtt-500, ");
        assertThatThrownBy(() -> Options.parse("--quick"))
                .hasMessageStartingWith("there is no option --quick, only\n--short ");
        assertThatThrownBy(() -> Options.parse("--out")).hasMessageStartingWith("--out needs a value:");
        assertThatThrownBy(() -> BenchmarkRedis.open("localhost:6379"))
                .hasMessage("-Dredis must be redis://host:port, was localhost:6379");
    }
}
