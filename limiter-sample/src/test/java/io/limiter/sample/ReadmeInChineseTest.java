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
import org.junit.jupiter.api.Test;

/** README.zh-CN.md says what README.md says, as far as can be told without reading either. */
class ReadmeInChineseTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?s)```\\w*\\n.*?```");
    private static final Pattern COMMENT = Pattern.compile("(?m)(^|\\s+)(//|#) .*$");
    private static final Pattern CODE = Pattern.compile("`[^`]+`");

    private final String english = read("README.md");
    private final String chinese = read("README.zh-CN.md");

    @Test
    void both_have_the_same_code() {
        assertThat(code(chinese))
                .as("code blocks of README.zh-CN.md, without comments, against those of README.md")
                .containsExactlyElementsOf(code(english));
    }

    @Test
    void both_have_the_same_headings() {
        List<String> expected = headings(english);
        List<String> actual = headings(chinese);
        assertThat(actual.stream().map(ReadmeInChineseTest::level))
                .as("levels of the headings %s against those of README.md, %s", actual, expected)
                .containsExactlyElementsOf(
                        expected.stream().map(ReadmeInChineseTest::level).toList());
    }

    @Test
    void both_have_the_same_tables() {
        assertThat(rows(chinese))
                .as("code in the first column of each row of README.zh-CN.md, by table, against README.md")
                .containsExactlyElementsOf(rows(english));
    }

    @Test
    void both_have_the_same_settings() {
        Pattern row = Pattern.compile("(?m)^\\| (`limiter\\.[^|]*\\|[^|]*)\\|");
        assertThat(matches(row, chinese)).containsExactlyElementsOf(matches(row, english));
    }

    @Test
    void both_link_to_the_same_pages() {
        // Anchors are made of headings, which are translated.
        Pattern link = Pattern.compile("]\\((?!README)([^)#]+)");
        assertThat(new TreeSet<>(matches(link, chinese))).isEqualTo(new TreeSet<>(matches(link, english)));
    }

    private static List<String> code(String readme) {
        return BLOCK.matcher(readme)
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

    /** A row is told by the number of its table and the code in its first column; the words beside it are translated. */
    private static List<String> rows(String readme) {
        List<String> rows = new ArrayList<>();
        int table = 0;
        boolean within = false;
        for (String line : BLOCK.matcher(readme).replaceAll("").split("\\n", -1)) {
            boolean isRow = line.startsWith("|");
            table += isRow && !within ? 1 : 0;
            within = isRow;
            if (isRow) {
                String first = line.substring(1).split("(?<!\\\\)\\|", 2)[0];
                rows.add("table " + table + ": "
                        + CODE.matcher(first).results().map(MatchResult::group).toList());
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
