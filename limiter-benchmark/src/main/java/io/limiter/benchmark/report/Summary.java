package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Family;
import io.limiter.benchmark.subject.Contenders;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

    /**
     * Lines that are shown together.
     *
     * @param remark to the table; empty for none
     */
    private record Section(String title, String remark, List<Line> lines) {

        private List<Row> rows(Results results) {
            return lines.stream().flatMap(line -> row(line, results).stream()).toList();
        }

        private List<CellResult> cells(Results results) {
            return lines.stream()
                    .flatMap(line -> results.cell(line.cell()).stream())
                    .distinct()
                    .toList();
        }
    }

    private static final String STANDARD = "limiter";

    private static final List<String> TITLES =
            List.of("decisions per second", "raw `EVALSHA`", "best peer", "limiter", "× peer", "× floor");

    private static final List<Section> SECTIONS = List.of(
            new Section(
                    "Summary",
                    "",
                    List.of(
                            new Line("1 thread, one key", Cell.HOT_1_THREAD),
                            new Line("16 threads, one key", Cell.HOT_16_THREADS),
                            new Line("64 threads, one key", Cell.HOT_64_THREADS),
                            new Line("64 threads, 10,000 keys", Cell.WIDE_64_THREADS),
                            new Line("64 asynchronous, one key", Cell.HOT_64_ASYNC),
                            new Line("1,024 asynchronous, one key", Cell.HOT_1024_ASYNC),
                            new Line("64 asynchronous, 10,000 keys", Cell.WIDE_64_ASYNC),
                            new Line("1,024 asynchronous, 10,000 keys", Cell.WIDE_1024_ASYNC),
                            new Line("64 threads, known rejection", Cell.REJECTED_64_THREADS))),
            new Section(
                    "Without a call",
                    "The peers decide in process too.",
                    List.of(
                            new Line("1 thread, local engine", Cell.HOT_1_THREAD, "limiter-local"),
                            new Line("64 threads, local engine", Cell.HOT_64_THREADS, "limiter-local"),
                            new Line("1 thread, prefetched", Cell.HOT_1_THREAD, "limiter-prefetch"),
                            new Line("64 threads, prefetched", Cell.HOT_64_THREADS, "limiter-prefetch"))),
            new Section(
                    "Virtual threads",
                    "Each thread waits for its decision.",
                    List.of(
                            new Line("1,000 virtual threads, one key", Cell.HOT_1000_VIRTUAL),
                            new Line("10,000 virtual threads, one key", Cell.HOT_10000_VIRTUAL),
                            new Line("1,000 virtual threads, 10,000 keys", Cell.WIDE_1000_VIRTUAL),
                            new Line("10,000 virtual threads, 10,000 keys", Cell.WIDE_10000_VIRTUAL))),
            overNetwork("0.5", 500),
            overNetwork("2", 2000));

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

    private static Section overNetwork(String millis, int micros) {
        return new Section(
                "Round trip of " + millis + " ms",
                "A proxy delays requests and replies; it shares the processors.",
                Cell.overNetwork(micros).stream()
                        .filter(Summary::isShownOverNetwork)
                        .map(cell -> new Line(
                                Numbers.of((long) cell.callers())
                                        + (cell.waiting() == Cell.Waiting.ASYNC ? " asynchronous" : " threads")
                                        + (cell.keys() == KeySpace.HOT ? ", one key" : ", 10,000 keys"),
                                cell))
                        .toList());
    }

    /** The others are in the file of figures only. */
    private static boolean isShownOverNetwork(Cell cell) {
        return cell.waiting() == Cell.Waiting.ASYNC
                ? cell.callers() == 1024
                : cell.callers() == 16 || cell.callers() == 64;
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
        SECTIONS.forEach(section -> figures.table(
                results.titled(section.title()),
                TITLES,
                section.rows(results).stream().map(Row::texts).toList()));
    }

    static void write(Results results, Markdown page) {
        SECTIONS.forEach(section -> write(section, results, page));
    }

    private static void write(Section section, Results results, Markdown page) {
        List<Row> rows = section.rows(results);
        if (rows.isEmpty()) {
            return;
        }
        page.add("## " + results.titled(section.title()));
        page.table(TITLES, rows.stream().map(Row::texts).toList());
        List<CellResult> cells = section.cells(results);
        String above = results.contenders().stream()
                .filter(contender -> above(cells, contender) > 0)
                .map(contender -> contender.name() + " (" + Numbers.of(above(cells, contender)) + ")")
                .collect(Collectors.joining(", "));
        page.add(Stream.of(
                        section.remark(),
                        roundTrip(cells),
                        "Grants above the limit where the load exceeds it: "
                                + (above.isEmpty() ? "none." : "none, except by " + above + "."),
                        results.environment().summary())
                .filter(sentence -> !sentence.isEmpty())
                .collect(Collectors.joining(" ")));
    }

    private static long above(List<CellResult> cells, Contender contender) {
        return cells.stream()
                .map(cell -> cell.above(contender))
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** Empty without a network. */
    private static String roundTrip(List<CellResult> cells) {
        List<Latency> measured = cells.stream()
                .map(CellResult::roundTrip)
                .filter(Objects::nonNull)
                .toList();
        if (measured.isEmpty()) {
            return "";
        }
        Spread p50 = Spread.of(measured.stream().mapToDouble(Latency::p50));
        Spread p99 = Spread.of(measured.stream().mapToDouble(Latency::p99));
        return "Before each cell, `PING` of a client alone took " + Numbers.spread(p50) + " µs (p50) and "
                + Numbers.spread(p99) + " µs (p99).";
    }
}
