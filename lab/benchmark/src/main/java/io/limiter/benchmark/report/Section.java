package io.limiter.benchmark.report;

import java.util.List;

/**
 * A table between two texts. Users read it with the rows by which they decide; contributors with all rows, if there are more.
 *
 * @param title without the JDK
 * @param before empty for none
 * @param after empty for none
 */
record Section(String title, String before, List<String> columns, List<Row> rows, String after) {

    /**
     * A row.
     *
     * @param forUsers whether users decide by it
     * @param cells of all columns
     */
    record Row(boolean forUsers, List<String> cells) {}

    /** The rows on one of the pages; none if the section is not on it. */
    List<List<String>> rows(boolean forUsers) {
        boolean split = rows.stream().anyMatch(row -> !row.forUsers());
        return rows.stream()
                .filter(row -> forUsers ? row.forUsers() : split)
                .map(Row::cells)
                .toList();
    }
}
