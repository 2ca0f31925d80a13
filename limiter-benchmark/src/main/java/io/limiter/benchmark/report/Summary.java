package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Family;
import io.limiter.benchmark.subject.Contenders;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The few figures that say most: this project beside the floor and beside the fastest peer that promises as much. */
final class Summary {

    /**
     * A row.
     *
     * @param limiter which of this project's; the standard one is compared with peers in Redis, others with those in process
     */
    private record Line(String title, Cell cell, String limiter) {

        Line(String title, Cell cell) {
            this(title, cell, STANDARD);
        }
    }

    private static final String STANDARD = "limiter";

    private static final List<String> TITLES =
            List.of("decisions per second", "raw `EVALSHA`", "best peer", "limiter", "× peer", "× floor");

    private static final List<Line> LINES = List.of(
            new Line("1 thread, one key", Cell.HOT_1_THREAD),
            new Line("16 threads, one key", Cell.HOT_16_THREADS),
            new Line("64 threads, one key", Cell.HOT_64_THREADS),
            new Line("64 threads, 10,000 keys", Cell.WIDE_64_THREADS),
            new Line("64 asynchronous, one key", Cell.HOT_64_ASYNC),
            new Line("1,024 asynchronous, one key", Cell.HOT_1024_ASYNC),
            new Line("64 asynchronous, 10,000 keys", Cell.WIDE_64_ASYNC),
            new Line("1,024 asynchronous, 10,000 keys", Cell.WIDE_1024_ASYNC),
            new Line("64 threads, known rejection", Cell.REJECTED_64_THREADS),
            new Line("1 thread, local engine", Cell.HOT_1_THREAD, "limiter-local"),
            new Line("64 threads, local engine", Cell.HOT_64_THREADS, "limiter-local"),
            new Line("1 thread, prefetched", Cell.HOT_1_THREAD, "limiter-prefetch"),
            new Line("64 threads, prefetched", Cell.HOT_64_THREADS, "limiter-prefetch"));

    /**
     * A line with its figures; not numbers where there are none.
     *
     * @param standard whether it is a row of decisions in Redis, one by one
     */
    record Row(
            String title,
            boolean standard,
            double floor,
            String peer,
            double best,
            double ours,
            double toPeer,
            double toFloor) {

        private List<String> texts() {
            return List.of(
                    title,
                    Numbers.of(floor),
                    Double.isNaN(best) ? Numbers.NONE : Numbers.of(best) + " (" + peer + ")",
                    Numbers.of(ours),
                    Numbers.of(toPeer),
                    Numbers.of(toFloor));
        }
    }

    private Summary() {}

    /** The rows that have figures. */
    static List<Row> rows(Results results) {
        return LINES.stream().flatMap(line -> row(line, results).stream()).toList();
    }

    private static Optional<Row> row(Line line, Results results) {
        CellResult cell = results.cell(line.cell()).orElse(null);
        Contender ours = results.contender(line.limiter()).orElse(null);
        if (cell == null || ours == null || !cell.has(ours)) {
            return Optional.empty();
        }
        boolean standard = line.limiter().equals(STANDARD);
        Contender floor = Contenders.RAW_EVALSHA;
        Contender peer = results.contenders().stream()
                .filter(contender -> contender.family() == Family.PEER
                        && contender.inProcess() != standard
                        && cell.has(contender)
                        && contender.guarantee().exact()
                        && results.above(contender) == 0)
                .max(Comparator.comparingDouble(contender -> rate(cell, contender)))
                .orElse(null);
        return Optional.of(new Row(
                line.title(),
                standard,
                rate(cell, floor),
                peer == null ? "" : peer.name(),
                peer == null ? Double.NaN : rate(cell, peer),
                rate(cell, ours),
                peer == null ? Double.NaN : cell.ratio(ours, peer).median(),
                cell.ratio(ours, floor).median()));
    }

    private static double rate(CellResult cell, Contender contender) {
        return cell.spread(contender, Slice::decisionsPerSecond).median();
    }

    static void write(Results results, Figures figures) {
        figures.table(
                results.titled("Summary"),
                TITLES,
                rows(results).stream().map(Row::texts).toList());
    }

    static void write(Results results, Markdown page) {
        List<Row> rows = rows(results);
        if (!rows.isEmpty()) {
            page.table(TITLES, rows.stream().map(Row::texts).toList());
        }
        List<String> above = results.measured().stream()
                .filter(contender -> results.above(contender) > 0)
                .map(contender -> contender.name() + " (" + Numbers.of(results.above(contender)) + ")")
                .toList();
        page.add("Grants above a limit that is below the same load, checked in every cell: "
                + (above.isEmpty() ? "none." : "none, except by " + String.join(", ", above) + "."));
    }
}
