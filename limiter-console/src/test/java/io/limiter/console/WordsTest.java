package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page has each of its words in both languages. */
class WordsTest {

    private static final List<String> FILES = List.of(
            "bans.js",
            "change.js",
            "dialog.js",
            "form.js",
            "format.js",
            "graph.js",
            "history.js",
            "instances.js",
            "key.js",
            "keys.js",
            "limit.js",
            "limited.js",
            "limits.js",
            "main.js",
            "state.js",
            "table.js");

    private static String file(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(WordsTest.class.getResourceAsStream("page/" + name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Map<String, String> words(String language) throws IOException {
        String all = file("words.js");
        int start = all.indexOf("  " + language + ": {");
        Map<String, String> words = new TreeMap<>();
        Pattern.compile("(?m)^ {4}(\\w+): '(.*)',$")
                .matcher(all.substring(start, all.indexOf("\n  },", start)))
                .results()
                .forEach(match -> words.put(match.group(1), match.group(2)));
        return words;
    }

    @Test
    void both_languages_have_the_same_words_with_the_same_values() throws IOException {
        Map<String, String> english = words("en");
        Map<String, String> chinese = words("zh");
        assertThat(chinese.keySet()).isEqualTo(english.keySet()).hasSizeGreaterThan(100);
        english.forEach(
                (word, text) -> assertThat(values(chinese.get(word))).as(word).isEqualTo(values(text)));
    }

    private static Set<String> values(String text) {
        return Pattern.compile("\\{\\d}")
                .matcher(text)
                .results()
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void every_word_of_the_page_is_there() throws IOException {
        Map<String, String> english = words("en");
        Set<String> used = new TreeSet<>();
        Pattern.compile("data-(?:word|label)=\"(\\w+)\"")
                .matcher(file("index.html"))
                .results()
                .forEach(match -> used.add(match.group(1)));
        for (String name : FILES) {
            Pattern.compile("\\bt\\('(\\w+)'").matcher(file(name)).results().forEach(match -> used.add(match.group(1)));
        }
        assertThat(english.keySet()).containsAll(used);
    }
}
