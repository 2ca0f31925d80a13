package io.limiter.benchmark.report;

import io.limiter.faults.report.Evidence;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All figures as CSV: a line for each value, with its table, row and column, and with the {@link Evidence} of its run. */
final class Figures {

    private static final String HEADER = "table,row,column,value," + String.join(",", Evidence.COLUMNS);

    /** By table, row and column. */
    private final Map<String, String> lines = new LinkedHashMap<>();

    /** @param before figures that stay unless others take their place; empty for none */
    Figures(String before) {
        before.lines().skip(1).forEach(line -> lines.put(line.substring(0, placeLength(line)), line));
    }

    /** Without evidence and value: all of the line up to the last comma before them that is not quoted. */
    private static int placeLength(String line) {
        String figure = line;
        for (int i = 0; i < Evidence.COLUMNS.size(); i++) {
            figure = figure.substring(0, figure.lastIndexOf(','));
        }
        return figure.endsWith("\"") ? figure.lastIndexOf(",\"") : figure.lastIndexOf(',');
    }

    /**
     * Adds a table.
     *
     * @param titles of all columns; that of the first, which names the rows, is left out
     */
    void table(Environment run, String title, List<String> titles, List<List<String>> rows) {
        for (List<String> row : rows) {
            for (int column = 1; column < row.size(); column++) {
                line(run, title, row.get(0), titles.get(column), row.get(column));
            }
        }
    }

    void add(Section section, Results results) {
        table(
                results.environment(),
                results.titled(section.title()),
                section.columns(),
                section.rows().stream().map(Section.Row::cells).toList());
    }

    void line(Environment run, String table, String row, String column, String value) {
        String place = Stream.of(table, row, column).map(Figures::quoted).collect(Collectors.joining(","));
        lines.put(
                place,
                place + "," + quoted(value.replace('\n', ' ')) + ","
                        + String.join(",", run.evidence().cells()));
    }

    private static String quoted(String text) {
        return text.matches("(?s).*[\",\\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    @Override
    public String toString() {
        return Stream.concat(Stream.of(HEADER), lines.values().stream()).collect(Collectors.joining("\n", "", "\n"));
    }
}
