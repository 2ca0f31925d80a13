package io.limiter.benchmark.report;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All figures as CSV: a line for each value, with its table, row and column. */
final class Figures {

    private final StringBuilder lines = new StringBuilder();

    Figures() {
        line("table", "row", "column", "value");
    }

    /**
     * Adds a table.
     *
     * @param titles of all columns; that of the first, which names the rows, is left out
     */
    void table(String title, List<String> titles, List<List<String>> rows) {
        for (List<String> row : rows) {
            for (int column = 1; column < row.size(); column++) {
                line(title, row.get(0), titles.get(column), row.get(column));
            }
        }
    }

    void line(String table, String row, String column, String value) {
        lines.append(
                Stream.of(table, row, column, value).map(Figures::quoted).collect(Collectors.joining(",", "", "\n")));
    }

    private static String quoted(String text) {
        return text.matches("(?s).*[\",\\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    @Override
    public String toString() {
        return lines.toString();
    }
}
