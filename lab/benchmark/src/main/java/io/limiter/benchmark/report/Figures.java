package io.limiter.benchmark.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All figures as CSV: a line for each value, with its table, row and column. */
final class Figures {

    private static final String HEADER = "table,row,column,value";

    /** By table, row and column. */
    private final Map<String, String> lines = new LinkedHashMap<>();

    /** @param before figures that stay unless others take their place; empty for none */
    Figures(String before) {
        before.lines().skip(1).forEach(line -> lines.put(line.substring(0, placeLength(line)), line));
    }

    /** Without the value: all of the line up to the last comma that is not quoted. */
    private static int placeLength(String line) {
        return line.endsWith("\"") ? line.lastIndexOf(",\"") : line.lastIndexOf(',');
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

    void add(Section section, Results results) {
        table(
                results.titled(section.title()),
                section.columns(),
                section.rows().stream().map(Section.Row::cells).toList());
    }

    void line(String table, String row, String column, String value) {
        String place = Stream.of(table, row, column).map(Figures::quoted).collect(Collectors.joining(","));
        lines.put(place, place + "," + quoted(value.replace('\n', ' ')));
    }

    private static String quoted(String text) {
        return text.matches("(?s).*[\",\\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    @Override
    public String toString() {
        return Stream.concat(Stream.of(HEADER), lines.values().stream()).collect(Collectors.joining("\n", "", "\n"));
    }
}
