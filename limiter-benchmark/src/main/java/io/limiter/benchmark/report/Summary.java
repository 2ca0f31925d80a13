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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The few figures that say most: this project beside the floor and beside the fastest peer that promises as much. */
final class Summary {

    /**
     * A row.
     *
     * @param limiter which of this project's; the standard one is compared with peers in Redis, others with those in process
     * @param wantedToPeer the least ratio to the best peer that is good enough; 0 if there is no goal
     * @param wantedToFloor the least ratio to the floor
     * @param obstacle what stands in the way of more, and what was tried; empty if the goal was always reached
     */
    private record Line(
            String title, Cell cell, String limiter, double wantedToPeer, double wantedToFloor, String obstacle) {

        boolean standard() {
            return limiter.equals(STANDARD);
        }
    }

    private static final String STANDARD = "limiter";

    private static final String REDIS_IS_BUSY =
            "Redis is busy all the time: by `perf`, a third of it to find keys in its table, where it waits for memory, two"
                    + " fifths in Lua, an eighth in the kernel. Each key is found twice, to read and to write it; reading"
                    + " the keys of a call in smaller groups, to find them in the processor's cache, gained nothing.";

    private static final String MORE_THAN_A_LOCK =
            "Guava's limiter is a lock and a clock. Here a request also finds its key and is counted.";

    private static final List<Line> LINES = List.of(
            new Line(
                    "1 thread, one key",
                    Cell.HOT_1_THREAD,
                    STANDARD,
                    0,
                    1,
                    "Both make one call per decision, and the limiter's script takes a few µs more. Threads that"
                            + " yield need not be woken (`limiter-yield`), at the price of a busy core."),
            new Line("16 threads, one key", Cell.HOT_16_THREADS, STANDARD, 2, 0, ""),
            new Line("64 threads, one key", Cell.HOT_64_THREADS, STANDARD, 2, 0, ""),
            new Line(
                    "64 threads, 10,000 keys",
                    Cell.WIDE_64_THREADS,
                    STANDARD,
                    0,
                    2.2,
                    "Client and Redis use up both cores, the client much of it to park and wake threads. Longer"
                            + " yields and a third call in flight gained nothing."),
            new Line("64 asynchronous, one key", Cell.HOT_64_ASYNC, STANDARD, 1.5, 0, ""),
            new Line(
                    "1,024 asynchronous, one key",
                    Cell.HOT_1024_ASYNC,
                    STANDARD,
                    1.6,
                    0,
                    "One thread reads a reply and completes all of its futures, as the peer's does. Completing"
                            + " them on a second one was slower, at nearly twice the processor time."),
            new Line("64 asynchronous, 10,000 keys", Cell.WIDE_64_ASYNC, STANDARD, 0, 2.7, REDIS_IS_BUSY),
            new Line("1,024 asynchronous, 10,000 keys", Cell.WIDE_1024_ASYNC, STANDARD, 0, 2.7, REDIS_IS_BUSY),
            new Line("64 threads, known rejection", Cell.REJECTED_64_THREADS, STANDARD, 100, 0, ""),
            new Line("1 thread, local engine", Cell.HOT_1_THREAD, "limiter-local", 1, 0, MORE_THAN_A_LOCK),
            new Line("64 threads, local engine", Cell.HOT_64_THREADS, "limiter-local", 1, 0, MORE_THAN_A_LOCK),
            new Line("1 thread, prefetched", Cell.HOT_1_THREAD, "limiter-prefetch", 1, 0, MORE_THAN_A_LOCK),
            new Line(
                    "64 threads, prefetched",
                    Cell.HOT_64_THREADS,
                    "limiter-prefetch",
                    3,
                    0,
                    "All threads take from one number, whose cache line one core at a time can change; so two"
                            + " cores decide about as often as one."));

    /** A line with its figures; not numbers where there are none. */
    record Row(Line line, double floor, String peer, double best, double ours, double toPeer, double toFloor) {

        String title() {
            return line.title();
        }

        /** Whether it is a row of decisions in Redis, one by one. */
        boolean standard() {
            return line.standard();
        }

        boolean misses() {
            return toPeer < line.wantedToPeer() || toFloor < line.wantedToFloor();
        }

        private String wanted() {
            String toPeer = line.wantedToPeer() > 0 ? "≥ " + Numbers.of(line.wantedToPeer()) + " × peer" : "";
            String toFloor = line.wantedToFloor() > 0 ? "≥ " + Numbers.of(line.wantedToFloor()) + " × floor" : "";
            return toPeer + (toPeer.isEmpty() || toFloor.isEmpty() ? "" : ", ") + toFloor;
        }

        /** Its ratios beside the goals. */
        private String shortOf() {
            return Stream.of(ratio(toPeer, "peer", line.wantedToPeer()), ratio(toFloor, "floor", line.wantedToFloor()))
                    .filter(ratio -> !ratio.isEmpty())
                    .collect(Collectors.joining(", "));
        }

        private static String ratio(double reached, String to, double wanted) {
            return wanted > 0 ? Numbers.of(reached) + " × " + to + " instead of " + Numbers.of(wanted) : "";
        }

        private String reached() {
            boolean unknown = line.wantedToPeer() > 0 && Double.isNaN(toPeer)
                    || line.wantedToFloor() > 0 && Double.isNaN(toFloor);
            return misses() ? "**no**" : unknown ? Numbers.NONE : wanted().isEmpty() ? "" : "yes";
        }

        private List<String> texts() {
            return List.of(
                    line.title(),
                    Numbers.of(floor),
                    Double.isNaN(best) ? Numbers.NONE : Numbers.of(best) + " (" + peer + ")",
                    Numbers.of(ours),
                    Numbers.of(toPeer),
                    Numbers.of(toFloor),
                    wanted(),
                    reached());
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
        Contender floor = Contenders.RAW_EVALSHA;
        Contender peer = results.contenders().stream()
                .filter(contender -> contender.family() == Family.PEER
                        && contender.inProcess() != line.standard()
                        && cell.has(contender)
                        && contender.guarantee().exact()
                        && results.above(contender) == 0)
                .max(Comparator.comparingDouble(contender -> rate(cell, contender)))
                .orElse(null);
        return Optional.of(new Row(
                line,
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

    /** @param obstacles whether to say what stands in the way of goals that were not reached */
    static void write(Results results, boolean obstacles, Markdown page) {
        List<Row> rows = rows(results);
        if (!rows.isEmpty()) {
            write(rows, obstacles, page);
        }
        List<String> above = results.measured().stream()
                .filter(contender -> results.above(contender) > 0)
                .map(contender -> contender.name() + " (" + Numbers.of(results.above(contender)) + ")")
                .toList();
        page.add("Grants above the limit, checked in every cell with the same load on a limit below it: "
                + (above.isEmpty() ? "none by anyone." : "none, except by " + String.join(", ", above) + "."));
    }

    private static void write(List<Row> rows, boolean obstacles, Markdown page) {
        page.table(
                List.of(
                        "decisions per second",
                        "raw `EVALSHA`",
                        "best peer",
                        "limiter",
                        "× peer",
                        "× floor",
                        "wanted",
                        "reached"),
                rows.stream().map(Row::texts).toList());
        List<String> missed = rows.stream()
                .filter(Row::misses)
                .map(row -> "**" + row.title() + "**: " + row.shortOf() + ". "
                        + (obstacles ? row.line().obstacle() : ""))
                .toList();
        if (missed.isEmpty()) {
            page.add("Every goal is reached.");
        } else {
            page.add("**Not reached:**");
            page.list(missed);
        }
    }
}
