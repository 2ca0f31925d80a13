package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.KeyMemory;
import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page: how the figures were taken, all in one table, and each cell in one of its own. */
public final class MarkdownReport {

    private static final String HOW_TO_READ = """
            `raw-evalsha` is no limiter but the floor: Lettuce, and a script that reads and writes one key. **× floor** is
            how many decisions a limiter makes while the floor makes one, in the same round. Figures are medians over the
            rounds, with the least and the most in brackets; compare them only within one run. Subjects took turns within
            every round, in a rotating order, each warmed up before it was measured.

            **⚠** marks who granted more than allowed: more than the burst and the rate times the time that had passed
            since before the first request, at any grant. *mixed* is one instance on 1,000 permits/s, *fleet* four that share them.
            """;

    private static final String COLUMNS = """
            Latencies are from request to answer, in an HdrHistogram to two digits; where answers come fast, one in so
            many is timed that it makes about 100,000 a second. Calls, processor time and bytes are for each decision:
            *Redis calls* are commands that clients sent, *script µs* is one script in Redis, *client CPU* and *bytes
            allocated* are all of the JVM's, with what makes the load. `failed` are exceptions, in the worst round.
            """;

    private final Results results;
    private final List<String> lines = new ArrayList<>();

    private MarkdownReport(Results results) {
        this.results = results;
    }

    /**
     * The page's text.
     *
     * @param chartFile where the chart lies, from the page
     */
    public static String of(Results results, String chartFile) {
        MarkdownReport report = new MarkdownReport(results);
        report.head(chartFile);
        report.summary();
        report.memory();
        report.lines.add("## Cell by cell");
        report.lines.add("");
        report.lines.add(COLUMNS);
        results.cells().forEach(report::cell);
        return String.join("\n", report.lines).strip() + "\n";
    }

    private void head(String chartFile) {
        Environment at = results.environment();
        lines.add("# Rate limiters side by side");
        lines.add("");
        lines.add("Taken on " + at.date() + " by `" + at.command() + "`: " + at.jvm() + ", " + at.system() + ", Redis "
                + at.redis() + ", "
                + at.timing().rounds() + " rounds of "
                + Numbers.of(at.timing().seconds()) + " s.");
        lines.add("");
        if (!results.problems().isEmpty()) {
            lines.add("**Not to be used:**");
            lines.add("");
            results.problems().forEach(problem -> lines.add("- " + problem));
            lines.add("");
        }
        lines.add(HOW_TO_READ);
        lines.add("![Decisions for each of the floor](" + chartFile + ")");
        lines.add("");
    }

    /** The ratio to the floor in each cell that has one, and who grants too much. */
    private void summary() {
        List<CellResult> compared = results.cells().stream()
                .filter(cell -> cell.cell().outcome().hasFloor())
                .toList();
        lines.add("## × floor");
        lines.add("");
        table(
                Stream.concat(
                                Stream.of("", "above the limit"),
                                compared.stream().map(cell -> title(cell.cell())))
                        .toList(),
                results.contenders().stream()
                        .map(contender -> Stream.concat(
                                        Stream.of(results.marked(contender), above(contender)),
                                        compared.stream().map(cell -> ratio(cell, contender)))
                                .toList())
                        .toList());
    }

    private String above(Contender contender) {
        return results.checked(contender) ? Numbers.of(results.above(contender)) : Numbers.NONE;
    }

    private static String ratio(CellResult cell, Contender contender) {
        Spread ratio = cell.ratioToFloor(contender);
        return ratio == null ? Numbers.NONE : Numbers.median(ratio);
    }

    private void memory() {
        if (results.memory().isEmpty()) {
            return;
        }
        lines.add("## Bytes in Redis for an id of 16 characters");
        lines.add("");
        lines.add("All keys that it has, by `MEMORY USAGE`, under the limiter's own names for them.");
        lines.add("");
        table(
                List.of("", "after 1 grant", "after 1,000 grants"),
                results.memory().stream().map(this::weighed).toList());
    }

    private List<String> weighed(KeyMemory memory) {
        return List.of(
                results.marked(memory.contender()), Numbers.of(memory.afterOne()), Numbers.of(memory.afterThousand()));
    }

    private void cell(CellResult result) {
        List<Column> columns = Column.ALL.stream()
                .filter(column -> column.shown().test(result.cell().outcome()))
                .toList();
        lines.add("### " + title(result.cell()));
        lines.add("");
        table(
                Stream.concat(Stream.of(""), columns.stream().map(Column::title))
                        .toList(),
                result.contenders().stream()
                        .map(contender -> Stream.concat(
                                        Stream.of(results.marked(contender)),
                                        columns.stream()
                                                .map(column -> column.text().apply(result, contender)))
                                .toList())
                        .toList());
    }

    static String title(Cell cell) {
        String load = cell.load().name().replaceFirst("-", " ").replace("1 threads", "1 thread");
        return cell.keys().label() + ", " + cell.outcome().label() + ", " + load;
    }

    private void table(List<String> titles, List<List<String>> rows) {
        lines.add(row(titles));
        lines.add("| --- |" + " ---: |".repeat(titles.size() - 1));
        rows.forEach(row -> lines.add(row(row)));
        lines.add("");
    }

    private static String row(List<String> texts) {
        return texts.stream().collect(Collectors.joining(" | ", "| ", " |"));
    }
}
