package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.key.KeySpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The links of the pages lead somewhere, and what they name exists. */
class DocsTest {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @ParameterizedTest
    @ValueSource(strings = {"docs/keys.md", "docs/zh-CN/keys.md"})
    void keys_are_stored_as_the_page_says(String page) throws IOException {
        Pattern row = Pattern.compile("(?m)^\\| `(\\w+:)` \\| `([^`]+)` \\| (?:`(.*)`)? ?\\| `([^`]+)` \\|$");
        List<MatchResult> rows =
                row.matcher(Files.readString(ROOT.resolve(page))).results().toList();
        assertThat(rows).hasSizeGreaterThan(8);
        for (MatchResult match : rows) {
            String suffix = match.group(1).equals("countLimit:")
                    ? FixedWindow.of(1, Duration.ofSeconds(1)).keySuffix()
                    : "";
            KeySpace keys = new KeySpace(match.group(1), match.group(2), suffix);
            String path = match.group(3);
            assertThat(path == null ? keys.own() : keys.of(List.of(path.split("`(, |、)`"))))
                    .isEqualTo(match.group(4));
        }
    }

    @Test
    void links_and_images_of_the_pages_lead_somewhere() throws IOException {
        Pattern link = Pattern.compile("(?:]\\(|(?:src|srcset|href)=\")([^)\"#:]*)(?:#([^)\"]*))?[)\"]");
        for (Path page : pages()) {
            for (MatchResult match : link.matcher(withoutCode(page)).results().toList()) {
                Path target = match.group(1).isEmpty()
                        ? page
                        : page.resolveSibling(match.group(1)).normalize();
                assertThat(target).as("linked by " + page).exists();
                if (match.group(2) != null) {
                    assertThat(anchors(target)).as(page + " -> " + target).contains(match.group(2));
                }
            }
        }
    }

    /** Numbers alone, so that the sentences around them may change. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "README.zh-CN.md"})
    void measured_figures_of_the_readme_are_those_that_were_measured(String page) throws IOException {
        String arrivals = "\"Requests at a fixed rate, JDK 17\",\"5,000/s, one key, ";
        String server = "\"Requests of a server, JDK 25\"";
        String bytes = "\"Bytes in Redis for an id of 16 characters, JDK 17\"";
        String manyKeys = "\"Requests at a fixed rate, JDK 17\",\"5,000/s, 10,000 keys, limiter\"";
        // Another test compares this page with its CSV.
        MatchResult shares = Pattern.compile("That was so in (\\d+) of the (\\d+) experiments")
                .matcher(Files.readString(ROOT.resolve("docs/reliability.md")))
                .results()
                .findFirst()
                .orElseThrow();
        int alone = Integer.parseInt(shares.group(1));
        int experiments = Integer.parseInt(shares.group(2));
        List<String> figures = List.of(
                "| %s | %s | %s | – | %s | – |"
                        .formatted(
                                longestCallWhileStopped("limiter"),
                                longestCallWhileStopped("bucket4j"),
                                longestCallWhileStopped("redisson"),
                                longestCallWhileStopped("gateway")),
                " %d".formatted(experiments),
                " %d".formatted(experiments - alone),
                " %d".formatted(alone),
                "%.2f".formatted(measured(arrivals + "limiter\",p50 ms")),
                "%.2f".formatted(measured(arrivals + "limiter\",p99 ms")),
                "%.2f".formatted(measured(arrivals + "no limit\",p50 ms")),
                "%.2f".formatted(measured(arrivals + "no limit\",p99 ms")),
                "%.2f".formatted(measured(arrivals + "bucket4j-batching\",p50 ms")),
                "%.2f".formatted(measured(arrivals + "bucket4j-batching\",p99 ms")),
                "%.2f".formatted(measured(arrivals + "redisson\",p50 ms")),
                "%.2f".formatted(measured(arrivals + "redisson\",p99 ms")),
                "%.2f".formatted(measured(arrivals + "raw-evalsha\",p50 ms")),
                "%.2f".formatted(measured(arrivals + "raw-evalsha\",p99 ms")),
                "%.2f".formatted(measured(manyKeys + ",p50 ms")),
                "%.2f".formatted(measured(manyKeys + ",p99 ms")),
                "%.0f µs".formatted(measured(arrivals + "limiter\",CPU µs added to the caller")),
                "%.0f µs".formatted(measured(arrivals + "limiter\",CPU µs of Redis")),
                "%.0f µs"
                        .formatted(measured(server + ",\"Tomcat, `@RateLimit`\",CPU µs of the server")
                                - measured(server + ",\"Tomcat, no limit\",CPU µs of the server")),
                "%.0f µs"
                        .formatted(measured(server + ",\"Tomcat, `@RateLimit`\",CPU µs of Redis")
                                - measured(server + ",\"Tomcat, no limit\",CPU µs of Redis")),
                "| %.0f |".formatted(measured(bytes + ",limiter,after 1 grant")),
                "%.1f".formatted(measured("\"Virtual threads, JDK 25\",\"10,000 virtual threads, one key\",× peer")));
        assertThat(Files.readString(ROOT.resolve(page))).contains(figures);
    }

    @Test
    void measured_ratios_of_the_comparison_are_those_that_were_measured() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/comparison.md"));
        for (String threads : List.of("1 thread", "16 threads", "64 threads")) {
            String cell = ",\"" + threads + ", one key\",× peer";
            double on17 = measured("\"Summary, JDK 17\"" + cell);
            double on25 = measured("\"Summary, JDK 25\"" + cell);
            Matcher row = Pattern.compile(
                            "\\| " + threads.replaceAll("\\D", "") + " \\| ([\\d.]+) \\| ([\\d.]+) \\| ([\\d.]+) \\|")
                    .matcher(page);
            assertThat(row.find()).as(threads).isTrue();
            assertThat(row.group(2)).isEqualTo("%.1f".formatted(on17));
            assertThat(row.group(3)).isEqualTo("%.1f".formatted(on25));
            assertThat(Double.parseDouble(row.group(1))).isLessThanOrEqualTo(Math.min(on17, on25) + 0.05);
        }
    }

    @Test
    void measured_figures_of_the_comparison_are_those_that_were_measured() throws IOException {
        List<String> figures = new ArrayList<>();
        for (String keys : List.of("hot", "uniform")) {
            for (String subject :
                    List.of("limiter", "bucket4j-batching", "raw-evalsha", "gateway-script \u26a0", "redisson")) {
                figures.add(
                        " " + cell("\"" + keys + ", granted, 64 threads, JDK 17\"," + subject + ",decisions/s") + " |");
            }
        }
        for (String subject : List.of("limiter", "bucket4j-batching", "gateway-script", "redisson")) {
            String bytes = "\"Bytes in Redis for an id of 16 characters, JDK 17\"," + subject;
            figures.add("| " + cell(bytes + ",after 1 grant") + " |");
            figures.add(cell(bytes + ",\"after 1,000 grants\""));
        }
        figures.add(cell("\"Bytes in Redis for an id of 16 characters, JDK 25\",redisson,\"after 1,000 grants\""));
        for (String threads : List.of("1 thread", "16 threads", "64 threads")) {
            figures.add("| %.1f |".formatted(measured("\"Summary, JDK 17\",\"" + threads + ", one key\",× peer")));
        }
        figures.add("%.2f".formatted(measured("\"Summary, JDK 17\",\"1,024 asynchronous, one key\",× peer")));
        figures.add("%.1f".formatted(measured("\"Without a call, JDK 17\",\"1 thread, local engine\",× peer")));
        figures.add("%.1f".formatted(measured("\"Without a call, JDK 25\",\"1 thread, local engine\",× peer")));
        figures.add(
                "%.1f".formatted(measured("\"Virtual threads, JDK 25\",\"10,000 virtual threads, one key\",× peer")));
        String[] limiter = whileStopped("limiter");
        figures.add("%,d permits".formatted(Integer.parseInt(limiter[9])));
        figures.add(longestCallWhileStopped("limiter"));
        figures.add(longestCallWhileStopped("bucket4j"));
        assertThat(Files.readString(ROOT.resolve("docs/comparison.md"))).contains(figures);
    }

    private static String longestCallWhileStopped(String library) throws IOException {
        return "%.1f s".formatted(Double.parseDouble(whileStopped(library)[13]) / 1000);
    }

    /** Of four instances that share a limit of 1,000 a second. */
    private static String[] whileStopped(String library) throws IOException {
        String cell = library + ",4,1000/s,stopped,";
        return rows("docs/benchmark/outage.csv").stream()
                .filter(row -> row.startsWith(cell))
                .map(row -> row.split(","))
                .findFirst()
                .orElseThrow(() -> new AssertionError("outage.csv has no " + cell));
    }

    private static double measured(String cell) throws IOException {
        return Double.parseDouble(cell(cell).replaceAll(",| \\(.*", ""));
    }

    private static String cell(String cell) throws IOException {
        return rows("docs/benchmark/figures.csv").stream()
                .filter(line -> line.startsWith(cell + ","))
                .map(line -> line.substring(cell.length() + 1).replaceAll("(,[^,]*){5}$|\"", ""))
                .findFirst()
                .orElseThrow(() -> new AssertionError("figures.csv has no " + cell));
    }

    /** Tests write them with {@code -Dfigures=docs/figures.csv}. */
    @Test
    void figures_that_tests_measure_are_on_their_pages() throws IOException {
        Pattern row = Pattern.compile("([^,]+),[^,]+,(?:\"([^\"]+)\"|([^,]+)),.*");
        for (String line : rows("docs/figures.csv")) {
            MatchResult figure = row.matcher(line).results().findFirst().orElseThrow();
            String value = figure.group(2) == null ? figure.group(3) : figure.group(2);
            assertThat(Files.readString(ROOT.resolve(figure.group(1))))
                    .as(line)
                    .containsPattern("(?<![\\d,.])" + Pattern.quote(value) + "(?![\\d]|[,.]\\d)");
        }
    }

    @Test
    void figures_of_the_outage_are_those_that_were_measured() throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve("docs/images/outage.csv"));
        List<String> figures = new ArrayList<>();
        int stopped = 0;
        for (String line : lines) {
            Matcher times = Pattern.compile("# stopped_ms=(\\d+) unavailable_ms=(\\d+) recovered_ms=(\\d+)")
                    .matcher(line);
            if (times.matches()) {
                stopped = Integer.parseInt(times.group(1));
                figures.addAll(List.of(times.group(2) + " ms", times.group(3) + " ms"));
            }
        }
        List<Integer> medians = new ArrayList<>();
        int worst = 0;
        for (String line : lines) {
            String[] cells = line.split(",");
            if (line.matches("\\d.*") && Integer.parseInt(cells[0]) < stopped) {
                medians.add(Integer.valueOf(cells[2]));
                worst = Math.max(worst, Integer.parseInt(cells[4]));
            }
        }
        medians.sort(null);
        figures.add(" " + medians.get(medians.size() / 2) + " µs");
        figures.add("%.0f ms".formatted(worst / 1e3));
        assertThat(Files.readString(ROOT.resolve("docs/failure.md")).replaceAll("\\s+", " "))
                .contains(figures);
    }

    @Test
    void figures_of_the_simulation_are_in_its_tables() throws IOException {
        String tables = Files.readString(ROOT.resolve("lab/benchmark/scale.md"));
        List<MatchResult> paragraphs = Pattern.compile("(?ms)^\\*\\*Measured\\*\\*.*?^$")
                .matcher(Files.readString(ROOT.resolve("docs/scale.md")))
                .results()
                .toList();
        assertThat(paragraphs).hasSize(2);
        for (MatchResult paragraph : paragraphs) {
            assertThat(Pattern.compile("\\d+\\.\\d+|\\d{1,3}(,\\d{3})+")
                            .matcher(paragraph.group())
                            .results()
                            .map(MatchResult::group))
                    .isNotEmpty()
                    .allMatch(tables::contains);
        }
    }

    /** A planted bug that was missed, or has not run yet, is no error, but the page has to say so. */
    @Test
    void experiments_have_held_and_the_page_names_planted_bugs_that_were_not_caught() throws IOException {
        assertThat(rows("docs/reliability.csv")).isNotEmpty().allMatch(row -> row.contains(",held,"));
        String page = Files.readString(ROOT.resolve("docs/reliability.md"));
        for (String row : rows("docs/reliability-bugs.csv")) {
            assertThat(row).containsAnyOf(",caught,", ",MISSED,", ",NOT RUN,");
            if (!row.contains(",caught,")) {
                assertThat(page).contains("- " + (row.contains(",MISSED,") ? "MISSED" : "NOT RUN") + ": ");
            }
        }
    }

    @Test
    void each_figure_names_the_code_that_was_measured_and_where() throws IOException {
        List<String> files = tablesOfFigures();
        assertThat(files)
                .contains(
                        "docs/reliability.csv",
                        "docs/reliability-bugs.csv",
                        "docs/reliability-soak.csv",
                        "docs/figures.csv",
                        "docs/benchmark/figures.csv");
        for (String csv : files) {
            assertThat(Files.readAllLines(ROOT.resolve(csv)).get(0)).endsWith(",commit,date,jvm,server,processors");
            assertThat(rows(csv).stream().filter(row -> !row.contains(",NOT RUN,")))
                    .as(csv)
                    .isNotEmpty()
                    .allMatch(row -> row.matches(".*,[0-9a-f]{8},20\\d\\d-\\d\\d-\\d\\d,[^,]+,[^,]+,\\d+"));
        }
    }

    /** The CSV files of the pages, without those from which pictures are drawn. */
    private static List<String> tablesOfFigures() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            return files.map(file -> ROOT.relativize(file).toString())
                    .filter(file -> file.endsWith(".csv") && !file.startsWith("docs/images/"))
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/images/outage.csv", "docs/scale.md", "lab/benchmark/scale.md"})
    void each_table_names_the_code_that_was_measured_and_where(String file) throws IOException {
        String text = Files.readString(ROOT.resolve(file));
        String evidence = " commit [0-9a-f]{8}, 20\\d\\d-\\d\\d-\\d\\d, [^,\n]+, [^,\n]+, \\d+ processors";
        if (file.endsWith(".csv")) {
            assertThat(text).containsPattern("(?m)^#" + evidence + "$");
        } else {
            List<MatchResult> tables =
                    Pattern.compile("<!-- /\\w+ -->").matcher(text).results().toList();
            assertThat(Pattern.compile("<!-- \\w+ -->\n<!--" + evidence + " -->\n")
                            .matcher(text)
                            .results())
                    .isNotEmpty()
                    .hasSameSizeAs(tables);
        }
    }

    private static List<String> rows(String csv) throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve(csv));
        return lines.subList(1, lines.size());
    }

    @Test
    void the_composed_example_names_what_exists() throws IOException {
        Path examples = ROOT.resolve("examples");
        Map<?, ?> services = (Map<?, ?>) yaml(examples.resolve("compose.yaml")).get("services");
        for (Object value : services.values()) {
            Map<?, ?> service = (Map<?, ?>) value;
            assertThat(service.get("image")).isNotNull();
            if (service.get("depends_on") instanceof Map<?, ?> others) {
                assertThat(names(services)).containsAll(names(others));
            }
            if (service.get("volumes") instanceof List<?> volumes) {
                for (Object volume : volumes) {
                    Path source = examples.resolve(volume.toString().split(":")[0]);
                    // What the build makes may not be there yet.
                    assertThat(
                                    source.endsWith("target/app.jar")
                                            ? source.resolveSibling("../pom.xml")
                                                    .normalize()
                                            : source)
                            .exists();
                }
            }
        }
        String targets = yaml(examples.resolve("compose/prometheus.yml"))
                .get("scrape_configs")
                .toString();
        List<String> scraped = Pattern.compile("([\\w-]+):8080")
                .matcher(targets)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(scraped).containsExactly("app-1", "app-2");
        assertThat(names(services)).containsAll(scraped);
    }

    private static List<String> names(Map<?, ?> map) {
        return map.keySet().stream().map(Object::toString).toList();
    }

    @Test
    void all_yaml_can_be_read() throws IOException {
        for (String folder : List.of(".github", "examples", "docs")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                for (Path file : files.filter(path -> path.toString().matches(".*\\.ya?ml"))
                        .filter(path -> !path.toString().contains("/target/"))
                        .toList()) {
                    assertThat(yaml(file)).as(file.toString()).isNotEmpty();
                }
            }
        }
    }

    private static Map<?, ?> yaml(Path file) throws IOException {
        return new Yaml().load(Files.readString(file));
    }

    @Test
    void the_index_lists_every_decision() throws IOException {
        StringBuilder index = new StringBuilder();
        try (Stream<Path> topics = Files.list(ROOT.resolve("docs/decisions"))) {
            for (Path topic : topics.sorted().toList()) {
                String address = "decisions/" + topic.getFileName();
                List<String> headings = headings(topic);
                String title = headings.get(0).replaceFirst("^Decisions: ", "");
                index.append("\n## [%s%s](%s)\n\n"
                        .formatted(title.substring(0, 1).toUpperCase(Locale.ROOT), title.substring(1), address));
                for (String record : headings.subList(1, headings.size())) {
                    index.append("- [%s](%s#%s)\n".formatted(record, address, anchor(record)));
                }
            }
        }
        assertIsListed("docs/decisions.md", "decisions", index + "\n");
    }

    @Test
    void the_table_of_packages_has_what_their_package_info_says() throws IOException {
        Pattern doc = Pattern.compile("(?s)/\\*\\*(.*?)(?:<p>.*)?\\*/.*\\bpackage ([\\w.]+);");
        StringBuilder table = new StringBuilder();
        for (String module : List.of("core", "live", "starter", "spring-client", "spring-cloud", "console", "test")) {
            table.append("\nIn `limiter-%s`:\n\n| package | contents |\n| --- | --- |\n".formatted(module));
            try (Stream<Path> files = Files.walk(ROOT.resolve("limiter-" + module + "/src/main/java"))) {
                for (Path folder : files.filter(path -> path.endsWith("package-info.java"))
                        .map(Path::getParent)
                        .sorted()
                        .toList()) {
                    MatchResult info = doc.matcher(Files.readString(folder.resolve("package-info.java")))
                            .results()
                            .findFirst()
                            .orElseThrow();
                    String text = info.group(1)
                            .replaceAll("\\s*\\n \\*", " ")
                            .replaceAll("\\{@code ([^}]+)}", "`$1`")
                            .replaceAll("\\{@link [\\w.]*\\.(\\w+)}", "`$1`")
                            .strip();
                    table.append("| `%s` | %s |\n".formatted(info.group(2), text));
                }
            }
        }
        assertIsListed("CONTRIBUTING.md", "packages", table + "\n");
    }

    /** Between two comments of the page, where {@code -Dcontract.write=true} writes the list. */
    private static void assertIsListed(String page, String name, String list) throws IOException {
        Path path = ROOT.resolve(page);
        String text = Files.readString(path);
        String begin = "<!-- " + name + " -->\n";
        assertThat(text).contains(begin);
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf("<!-- end of " + name + " -->", from);
        if (Boolean.getBoolean("contract.write")) {
            Files.writeString(path, text.substring(0, from) + list + text.substring(to));
        } else {
            assertThat(text.substring(from, to))
                    .as(
                            page + " has another list of " + name + ". Write it with -Dcontract.write=true:%n"
                                    + "mvn -q test -pl limiter-sample -am -Dtest=DocsTest -Dsurefire.failIfNoSpecifiedTests=false -Dcontract.write=true%n")
                    .isEqualTo(list);
        }
    }

    static List<Path> pages() throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(ROOT)) {
            files.forEach(found::add);
        }
        try (Stream<Path> modules = Files.list(ROOT)) {
            modules.map(module -> module.resolve("README.md"))
                    .filter(Files::exists)
                    .filter(page -> page.getParent().getFileName().toString().startsWith("limiter-"))
                    .forEach(found::add);
        }
        for (String folder : List.of("docs", "examples", ".github")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.forEach(found::add);
            }
        }
        return found.stream().filter(file -> file.toString().endsWith(".md")).toList();
    }

    private static String withoutCode(Path page) throws IOException {
        return Files.readString(page).replaceAll("(?s)```.*?```", "");
    }

    private static List<String> headings(Path page) throws IOException {
        return Pattern.compile("(?m)^#+ (.*)$")
                .matcher(withoutCode(page))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static List<String> anchors(Path page) throws IOException {
        return headings(page).stream().map(DocsTest::anchor).toList();
    }

    /** As GitHub makes it of a heading. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("]\\([^)]*\\)", "")
                .replaceAll("(?U)[^\\w\\- ]", "")
                .replace(' ', '-');
    }
}
