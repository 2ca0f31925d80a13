package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.KeySpace;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Slice;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.report.Section.Row;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Family;
import io.limiter.benchmark.subject.Contenders;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
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
     * @param forUsers the cells by which users decide
     */
    private record Group(String title, String remark, Predicate<Cell> forUsers, List<Line> lines) {}

    private static final String STANDARD = "limiter";

    private static final List<String> TITLES =
            List.of("decisions per second", "raw `EVALSHA`", "best peer", "limiter", "× peer", "× floor");

    private static final List<Group> GROUPS = List.of(
            new Group(
                    "Summary",
                    "With 64 threads, waking them takes most processor time; one thread completes all futures.",
                    cell -> true,
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
            new Group(
                    "Without a call",
                    "As in Guava, half of a decision reads the clock; threads on one key share its state.",
                    cell -> true,
                    List.of(
                            new Line("1 thread, local engine", Cell.HOT_1_THREAD, "limiter-local"),
                            new Line("64 threads, local engine", Cell.HOT_64_THREADS, "limiter-local"),
                            new Line("1 thread, prefetched", Cell.HOT_1_THREAD, "limiter-prefetch"),
                            new Line("64 threads, prefetched", Cell.HOT_64_THREADS, "limiter-prefetch"))),
            new Group(
                    "Virtual threads",
                    "Each thread waits for its decision. With the limiter, switching threads takes half of the JVM's processor time."
                            + " Its next call starts when a reply comes, that of bucket4j-batching when a caller has its turn, so more"
                            + " requests share it.",
                    cell -> false,
                    List.of(
                            new Line("1,000 virtual threads, one key", Cell.HOT_1000_VIRTUAL),
                            new Line("10,000 virtual threads, one key", Cell.HOT_10000_VIRTUAL),
                            new Line("1,000 virtual threads, 10,000 keys", Cell.WIDE_1000_VIRTUAL),
                            new Line("10,000 virtual threads, 10,000 keys", Cell.WIDE_10000_VIRTUAL))),
            overNetwork(500, cell -> cell.waiting() == Cell.Waiting.THREADS),
            overNetwork(2000, cell -> false));

    private Summary() {}

    private static Group overNetwork(int micros, Predicate<Cell> forUsers) {
        return new Group(
                "Round trip of " + Numbers.of(micros / 1e3) + " ms",
                "A proxy delays requests and replies; it shares the processors.",
                forUsers,
                Cell.overNetwork(micros).stream()
                        .map(cell -> new Line(
                                Numbers.of((long) cell.callers())
                                        + (cell.waiting() == Cell.Waiting.ASYNC ? " asynchronous" : " threads")
                                        + (cell.keys() == KeySpace.HOT ? ", one key" : ", 10,000 keys"),
                                cell))
                        .toList());
    }

    private static Optional<Row> row(Group group, Line line, Results results) {
        CellResult cell = results.cell(line.cell()).orElse(null);
        Contender ours = results.contender(line.limiter()).orElse(null);
        if (cell == null || ours == null || !cell.has(ours)) {
            return Optional.empty();
        }
        Optional<Contender> peer = results.contenders().stream()
                .filter(contender -> contender.family() == Family.PEER
                        && contender.inProcess() != line.limiter().equals(STANDARD)
                        && cell.has(contender)
                        && contender.guarantee().exact()
                        && results.above(contender) == 0)
                .max(Comparator.comparingDouble(contender -> rate(cell, contender)));
        return Optional.of(new Row(
                group.forUsers().test(cell.cell()),
                List.of(
                        line.title(),
                        Numbers.of(rate(cell, Contenders.RAW_EVALSHA)),
                        peer.map(best -> Numbers.of(rate(cell, best)) + " (" + best.name() + ")")
                                .orElse(Numbers.NONE),
                        Numbers.of(rate(cell, ours)),
                        peer.map(best -> Numbers.median(cell.ratio(ours, best))).orElse(Numbers.NONE),
                        Numbers.median(cell.ratio(ours, Contenders.RAW_EVALSHA)))));
    }

    private static double rate(CellResult cell, Contender contender) {
        return cell.spread(contender, Slice::decisionsPerSecond).median();
    }

    static List<Section> of(Results results) {
        return GROUPS.stream().map(group -> section(group, results)).toList();
    }

    private static Section section(Group group, Results results) {
        List<CellResult> cells = group.lines().stream()
                .flatMap(line -> results.cell(line.cell()).stream())
                .distinct()
                .toList();
        String above = results.contenders().stream()
                .filter(contender -> above(cells, contender) > 0)
                .map(contender -> contender.name() + " (" + Numbers.of(above(cells, contender)) + ")")
                .collect(Collectors.joining(", "));
        return new Section(
                group.title(),
                "",
                TITLES,
                group.lines().stream()
                        .flatMap(line -> row(group, line, results).stream())
                        .toList(),
                Stream.of(
                                group.remark(),
                                roundTrip(cells),
                                "Excess grants under overload: "
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
        return "`PING` alone took " + Numbers.spread(Spread.of(measured.stream().mapToDouble(Latency::p50))) + " µs.";
    }
}
