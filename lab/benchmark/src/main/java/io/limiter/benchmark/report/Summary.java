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

/** The few figures that say most: this project next to the floor and to the fastest peer that promises as much. */
final class Summary {

    /**
     * A row.
     *
     * @param limiter which of this project's; with calls it is compared with peers in Redis, without them with peers in process. The
     *     standard one makes none where it repeats a rejection that it knows, and has no peer there
     */
    private record Line(String title, Cell cell, String limiter) {

        Line(String title, Cell cell) {
            this(title, cell, STANDARD);
        }
    }

    /**
     * Lines that are shown together.
     *
     * @param calls whether their decisions are calls to Redis; if not, neither the floor nor a peer that calls Redis says anything
     *     about them
     * @param remark to the table; empty for none
     * @param forUsers the cells by which users decide
     */
    private record Group(String title, boolean calls, String remark, Predicate<Cell> forUsers, List<Line> lines) {

        List<String> columns() {
            return calls ? COLUMNS : COLUMNS_WITHOUT_CALL;
        }
    }

    private static final String STANDARD = "limiter";

    private static final List<String> COLUMNS =
            List.of("decisions per second", "raw `EVALSHA`", "best peer", "limiter", "× peer", "× floor");

    private static final List<String> COLUMNS_WITHOUT_CALL =
            List.of("decisions per second", "best peer", "limiter", "× peer");

    private static final List<Group> GROUPS = List.of(
            new Group(
                    "Summary",
                    true,
                    "With 64 threads, waking them takes most of the processor time, while a single thread completes all futures.",
                    cell -> true,
                    List.of(
                            new Line("1 thread, one key", Cell.HOT_1_THREAD),
                            new Line("16 threads, one key", Cell.HOT_16_THREADS),
                            new Line("64 threads, one key", Cell.HOT_64_THREADS),
                            new Line("64 threads, 10,000 keys", Cell.WIDE_64_THREADS),
                            new Line("64 asynchronous, one key", Cell.HOT_64_ASYNC),
                            new Line("1,024 asynchronous, one key", Cell.HOT_1024_ASYNC),
                            new Line("64 asynchronous, 10,000 keys", Cell.WIDE_64_ASYNC),
                            new Line("1,024 asynchronous, 10,000 keys", Cell.WIDE_1024_ASYNC))),
            new Group(
                    "Without a call",
                    false,
                    "These decisions are made in memory. As in Guava, half of the time of a decision is spent on reading the clock, and"
                            + " all threads share the state of the key.",
                    cell -> true,
                    List.of(
                            new Line("1 thread, local engine", Cell.HOT_1_THREAD, "limiter-local"),
                            new Line("64 threads, local engine", Cell.HOT_64_THREADS, "limiter-local"),
                            new Line("1 thread, prefetched", Cell.HOT_1_THREAD, "limiter-prefetch"),
                            new Line("64 threads, prefetched", Cell.HOT_64_THREADS, "limiter-prefetch"),
                            new Line("64 threads, known rejection", Cell.REJECTED_64_THREADS))),
            new Group(
                    "Virtual threads",
                    true,
                    "Each thread waits for its decision. With the limiter, switching threads takes half of the JVM's processor time."
                            + " The limiter starts its next call as soon as a reply arrives, whereas bucket4j-batching starts one when a"
                            + " caller has its turn, so that more requests share it.",
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
                true,
                "A proxy delays requests and replies, and it shares the processors.",
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
                        && group.calls() == line.limiter().equals(STANDARD)
                        && contender.inProcess() != group.calls()
                        && cell.has(contender)
                        && contender.guarantee().exact()
                        && results.above(contender) == 0)
                .max(Comparator.comparingDouble(contender -> rate(cell, contender)));
        List<String> figures = List.of(
                line.title(),
                Numbers.of(rate(cell, Contenders.RAW_EVALSHA)),
                peer.map(best -> Numbers.of(rate(cell, best)) + " (" + best.name() + ")")
                        .orElse(Numbers.NONE),
                Numbers.of(rate(cell, ours)),
                peer.map(best -> Numbers.spread(cell.ratio(ours, best))).orElse(Numbers.NONE),
                Numbers.spread(cell.ratio(ours, Contenders.RAW_EVALSHA)));
        return Optional.of(new Row(
                group.forUsers().test(cell.cell()),
                group.columns().stream()
                        .map(column -> figures.get(COLUMNS.indexOf(column)))
                        .toList()));
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
                group.columns(),
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
