package io.limiter.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Compares the Java of a page with source that is compiled. A snippet of {@code docs/keys.md} stands in a source between
 *
 * <pre>
 *   // keys: any-name
 *   // end
 * </pre>
 *
 * and in the page as a block of the language {@code java}. Line breaks may differ, because the formatter breaks lines
 * elsewhere than a reader would.
 */
public final class SnippetCheck {

    private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");

    private SnippetCheck() {}

    /** Fails unless the page shows each of its snippets, and nothing else. */
    public static void check(Path page, List<Path> sources) throws IOException {
        String name = page.getFileName().toString().replace(".md", "").toLowerCase();
        Pattern region = Pattern.compile("(?s)// " + Pattern.quote(name) + ": [\\w-]+\\n(.*?) *// end\\b");
        List<String> compiled = new ArrayList<>();
        for (Path source : sources) {
            compiled.addAll(snippets(region, source));
        }
        assertThat(snippets(BLOCK, page))
                .as("The java blocks of " + page.getFileName() + ", each of which has to be between '// " + name
                        + ": some-name' and '// end' in one of " + sources)
                .containsExactlyInAnyOrderElementsOf(compiled);
    }

    private static List<String> snippets(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map(match -> match.group(1)
                        .replaceAll("\\s+", " ")
                        .replace(" .", ".")
                        .strip())
                .toList();
    }
}
