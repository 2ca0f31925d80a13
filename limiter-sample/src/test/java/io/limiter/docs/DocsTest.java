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

    @Test
    void what_is_said_of_experiments_and_planted_bugs_is_what_they_have_shown() throws IOException {
        List<String> experiments = rows("docs/reliability.csv");
        assertThat(experiments).isNotEmpty().allMatch(row -> row.endsWith(",held"));
        assertThat(rows("docs/reliability-bugs.csv")).isNotEmpty().allMatch(row -> row.endsWith(",caught"));
        assertThat(Files.readString(ROOT.resolve("README.md")).replaceAll("\\s+", " "))
                .contains("[" + experiments.size() + " experiments](docs/reliability.md)");
        assertThat(Files.readString(ROOT.resolve("README.zh-CN.md")))
                .contains("[" + experiments.size() + " 个实验](docs/reliability.md)");
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
    void every_decision_is_in_the_index() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/decisions.md"));
        try (Stream<Path> topics = Files.list(ROOT.resolve("docs/decisions"))) {
            for (Path topic : topics.toList()) {
                List<String> records = anchors(topic);
                for (String record : records.subList(1, records.size())) {
                    assertThat(index).contains("(decisions/" + topic.getFileName() + "#" + record + ")");
                }
            }
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

    /** Of the headings, as GitHub makes them. */
    private static List<String> anchors(Path page) throws IOException {
        return Pattern.compile("(?m)^#+ (.*)$")
                .matcher(withoutCode(page))
                .results()
                .map(match -> match.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("]\\([^)]*\\)", "")
                        .replaceAll("(?U)[^\\w\\- ]", "")
                        .replace(' ', '-'))
                .toList();
    }
}
