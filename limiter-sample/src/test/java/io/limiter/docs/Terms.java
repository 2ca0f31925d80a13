package io.limiter.docs;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Terms that are not used, and what is said instead, from a file beside this class. */
record Terms(List<Term> all) {

    private record Term(Pattern words, String instead) {}

    static Terms of(String fileName) throws IOException {
        try (InputStream file = Terms.class.getResourceAsStream(fileName)) {
            return new Terms(new String(requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" -> "))
                    .map(parts ->
                            new Term(Pattern.compile("(?i)\\b(?:" + parts[0].replace(" ", "\\s+") + ")\\b"), parts[1]))
                    .toList());
        }
    }

    Stream<String> in(String text) {
        return all.stream()
                .flatMap(term -> term.words
                        .matcher(text)
                        .results()
                        .map(match -> "\"" + match.group() + "\", say: " + term.instead));
    }
}
