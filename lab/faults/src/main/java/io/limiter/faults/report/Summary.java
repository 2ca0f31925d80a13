package io.limiter.faults.report;

import io.limiter.faults.judge.Result;
import io.limiter.faults.planted.BugResult;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Results for a terminal. */
public final class Summary {

    private static final List<String> LONG = List.of("family", "what is done", "promise", "what did not hold", "seed");

    private Summary() {}

    /** What was found of planted bugs. */
    public static String ofBugs(List<BugResult> bugs) {
        return bugs.stream()
                .map(each -> String.format(
                        "%-28s %-10s by %s, %s: %s%n",
                        each.bug().name(),
                        Verdict.of(each),
                        each.bug().experiment(),
                        each.bug().measure(),
                        Rows.evidence(each)))
                .collect(Collectors.joining());
    }

    /** The figures of experiments without what is long, and what did not hold. */
    public static String of(List<Result> results, Evidence evidence) {
        Csv table = Rows.of(results, evidence, 0);
        List<String> columns = table.columns().stream()
                .filter(column -> !LONG.contains(column) && !Evidence.COLUMNS.contains(column))
                .toList();
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns);
        table.rows()
                .forEach(row -> rows.add(columns.stream()
                        .map(column -> row.getOrDefault(column, ""))
                        .toList()));
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < columns.size(); column++) {
            int index = column;
            widths.add(
                    rows.stream().mapToInt(row -> row.get(index).length()).max().orElse(0));
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(String.format("%-" + (widths.get(column) + 2) + "s", row.get(column)));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        table.rows().stream()
                .filter(row -> !row.getOrDefault("what did not hold", "").isEmpty())
                .forEach(row -> text.append(row.get("experiment"))
                        .append(": ")
                        .append(row.get("what did not hold"))
                        .append('\n'));
        return text.toString();
    }
}
