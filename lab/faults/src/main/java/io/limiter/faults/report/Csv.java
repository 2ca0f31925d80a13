package io.limiter.faults.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table as CSV.
 *
 * @param columns their names, of which the first is that of the name of a row
 * @param rows each with a cell for each column, by its name
 */
public record Csv(List<String> columns, List<Map<String, String>> rows) {

    /** What {@link #toString} returns. Columns that a row has no cell for are empty. */
    static Csv parse(String text) {
        List<List<String>> lines = new ArrayList<>();
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == '"') {
                // Two in a row are one, because the second begins to quote again.
                if (!quoted && i > 0 && text.charAt(i - 1) == '"') {
                    cell.append(next);
                }
                quoted = !quoted;
            } else if (!quoted && (next == ',' || next == '\n')) {
                cells.add(cell.toString());
                cell.setLength(0);
                if (next == '\n') {
                    lines.add(cells);
                    cells = new ArrayList<>();
                }
            } else {
                cell.append(next);
            }
        }
        List<String> columns = lines.isEmpty() ? List.of() : lines.get(0);
        return new Csv(
                columns, lines.stream().skip(1).map(line -> row(columns, line)).toList());
    }

    private static Map<String, String> row(List<String> columns, List<String> cells) {
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            row.put(columns.get(i), i < cells.size() ? cells.get(i) : "");
        }
        return row;
    }

    /** The cell of the first column. */
    String name(Map<String, String> row) {
        return row.getOrDefault(columns.get(0), "");
    }

    /**
     * The rows of both, of which the newer ones count.
     *
     * @param names of the rows that stay, in their order
     */
    Csv with(Csv newer, List<String> names) {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        rows.forEach(row -> all.put(name(row), row));
        newer.rows.forEach(row -> all.put(newer.name(row), row));
        return new Csv(
                newer.columns,
                names.stream().filter(all::containsKey).map(all::get).toList());
    }

    @Override
    public String toString() {
        return Stream.concat(
                        Stream.of(columns),
                        rows.stream()
                                .map(row -> columns.stream()
                                        .map(column -> row.getOrDefault(column, ""))
                                        .toList()))
                .map(cells -> cells.stream().map(Csv::quoted).collect(Collectors.joining(",", "", "\n")))
                .collect(Collectors.joining());
    }

    private static String quoted(String cell) {
        return cell.matches("(?s).*[\",\\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
