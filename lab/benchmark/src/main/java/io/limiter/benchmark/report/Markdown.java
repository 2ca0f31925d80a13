package io.limiter.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page as it grows. */
final class Markdown {

    private final List<String> blocks = new ArrayList<>();

    /** @param block left out if it is blank */
    void add(String block) {
        if (!block.isBlank()) {
            blocks.add(block.strip());
        }
    }

    void list(List<String> entries) {
        add(entries.stream().map(entry -> "- " + entry.strip()).collect(Collectors.joining("\n")));
    }

    /** The first column is of words, the others of numbers. */
    void table(List<String> titles, List<List<String>> rows) {
        add(Stream.concat(
                        Stream.of(row(titles), "| --- |" + " ---: |".repeat(titles.size() - 1)),
                        rows.stream().map(Markdown::row))
                .collect(Collectors.joining("\n")));
    }

    private static String row(List<String> texts) {
        return texts.stream().collect(Collectors.joining(" | ", "| ", " |"));
    }

    @Override
    public String toString() {
        return String.join("\n\n", blocks) + "\n";
    }
}
