package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests have names of one form. */
class CodeTest {

    private static final Pattern TEST =
            Pattern.compile("(?s)@(?:Test|ParameterizedTest|RepeatedTest)\\b.*?\\bvoid (\\w+)\\(");

    @Test
    void names_of_tests_are_words_with_underscores() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            if (file.toString().endsWith(".java")) {
                TEST.matcher(Files.readString(file))
                        .results()
                        .map(match -> match.group(1))
                        // Names such as tryAcquire may be part of one.
                        .filter(name -> !name.matches("[a-z0-9]+|.*_.*"))
                        .forEach(name -> found.add(DocsTest.ROOT.relativize(file) + ": " + name));
            }
        }
        assertThat(found).isEmpty();
    }

    /** The sources of all modules. */
    private static List<Path> files() throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> modules = Files.list(DocsTest.ROOT)) {
            for (Path module : modules.filter(path -> Files.isDirectory(path.resolve("src")))
                    .toList()) {
                try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                    files.filter(path -> path.toString().matches(".*(\\.java|\\.kt|\\.lua|(?<!\\.min)\\.js)"))
                            .forEach(found::add);
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(1_000);
        return found;
    }
}
