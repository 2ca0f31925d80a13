package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** README.zh-CN.md and each page of docs/zh-CN have the same code, headings, tables and links as their English pages. */
class ReadmeInChineseTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?s)```\\w*\\n.*?```");
    /** A formula in words has no language, and is translated. */
    private static final Pattern CODE_BLOCK = Pattern.compile("(?s)```\\w+\\n.*?```");

    private static final Pattern COMMENT = Pattern.compile("(?m)(^|\\s+)(//|#) .*$");
    private static final Pattern CODE = Pattern.compile("`[^`]+`");

    private final String english = read("README.md");
    private final String chinese = read("README.zh-CN.md");

    @Test
    void both_have_the_same_code() {
        checkSame("code blocks, without comments,", code(chinese), code(english));
    }

    @Test
    void both_have_the_same_headings() {
        checkSameHeadings(chinese, english);
    }

    @Test
    void both_have_the_same_tables() {
        checkSame("rows of tables, by the code in their first columns,", rows(chinese), rows(english));
    }

    static List<String> pages() throws IOException {
        Path folder = ROOT.resolve("docs/zh-CN");
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(page -> folder.relativize(page).toString())
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void a_page_says_no_less_than_the_english_one(String page) {
        String chinesePage = read("docs/zh-CN/" + page);
        String englishPage = read("docs/" + page);
        checkSame("code blocks, without comments,", code(chinesePage), code(englishPage));
        checkSameHeadings(chinesePage, englishPage);
        checkSame("rows of tables, by the code in their first columns,", rows(chinesePage), rows(englishPage));
        checkSame("links", links("docs/zh-CN/" + page, chinesePage), links("docs/" + page, englishPage));
    }

    /** The English pages and files that a page links to. */
    private static List<String> links(String page, String text) {
        Pattern link = Pattern.compile("]\\((?!https?:)([^)#]+)");
        List<String> targets = matches(link, BLOCK.matcher(text).replaceAll("")).stream()
                .map(target -> englishPath(Path.of(page).resolveSibling(target)))
                .filter(target -> !target.equals(englishPath(Path.of(page))))
                .toList();
        return distinct(targets);
    }

    private static String englishPath(Path page) {
        return page.normalize().toString().replace("docs/zh-CN/", "docs/").replace(".zh-CN.md", ".md");
    }

    @Test
    void both_have_the_same_settings() {
        Pattern row = Pattern.compile("(?m)^\\| (`limiter\\.[^|]*\\|[^|]*)\\|");
        checkSame(
                "properties and their defaults",
                matches(row, read("docs/zh-CN/reference/settings.md")),
                matches(row, read("docs/reference/settings.md")));
    }

    @Test
    void both_link_to_the_same_pages() {
        // Anchors are made of headings, which are translated. A page may be there in Chinese.
        Pattern link = Pattern.compile("]\\((?!README)([^)#]+)");
        checkSame(
                "links",
                distinct(matches(link, chinese.replace("docs/zh-CN/", "docs/"))),
                distinct(matches(link, english)));
    }

    /** Shows the differences first, which have to be translated or deleted. */
    private static void checkSame(String what, List<String> chinese, List<String> english) {
        assertThat(without(english, chinese))
                .as("%s of the English page that the Chinese one lacks", what)
                .isEmpty();
        assertThat(without(chinese, english))
                .as("%s of the Chinese page that the English one has not", what)
                .isEmpty();
        assertThat(chinese).as("order of %s", what).isEqualTo(english);
    }

    private static void checkSameHeadings(String chinese, String english) {
        List<String> expected = headings(english);
        List<String> actual = headings(chinese);
        assertThat(actual.stream().map(ReadmeInChineseTest::level))
                .as("levels of the headings %s against those of the English page, %s", actual, expected)
                .containsExactlyElementsOf(
                        expected.stream().map(ReadmeInChineseTest::level).toList());
    }

    private static List<String> without(List<String> all, List<String> others) {
        List<String> left = new ArrayList<>(all);
        others.forEach(left::remove);
        return left;
    }

    private static List<String> distinct(List<String> texts) {
        return List.copyOf(new TreeSet<>(texts));
    }

    private static List<String> code(String readme) {
        return CODE_BLOCK
                .matcher(readme)
                .results()
                .map(MatchResult::group)
                .map(block -> COMMENT.matcher(block).replaceAll("").replaceAll("\\n+", "\n"))
                .toList();
    }

    private static List<String> headings(String readme) {
        return matches(Pattern.compile("(?m)^(#+ .+)$"), BLOCK.matcher(readme).replaceAll(""));
    }

    private static String level(String heading) {
        return heading.substring(0, heading.indexOf(' '));
    }

    /** Rows are identified by the code in the first column; other columns are translated. */
    private static List<String> rows(String readme) {
        List<String> rows = new ArrayList<>();
        boolean within = false;
        for (String line : BLOCK.matcher(readme).replaceAll("").split("\\n", -1)) {
            boolean isRow = line.startsWith("|");
            if (isRow && !within) {
                rows.add("the start of a table");
            }
            within = isRow;
            if (isRow) {
                String first = line.split("\\|", 3)[1];
                rows.add(CODE.matcher(first)
                        .results()
                        .map(MatchResult::group)
                        .toList()
                        .toString());
            }
        }
        return rows;
    }

    private static List<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
