package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One comparison: the keys of the requests, the decisions they get, and how they are sent, each as soon as the one before it
 * is answered.
 *
 * @param callers how many requests are open at any time
 * @param roundTripMicros of the network to Redis; 0 for the loopback interface alone
 */
public record Cell(KeySpace keys, Outcome outcome, Waiting waiting, int callers, int roundTripMicros) {

    /** Who waits for the answers. */
    public enum Waiting {
        /** Platform threads, one for each open request. */
        THREADS,
        /** Virtual threads, one for each open request; from JDK 21. */
        VIRTUAL,
        /** No thread: each completion starts the next request. */
        ASYNC
    }

    public static final Cell HOT_1_THREAD = granted(KeySpace.HOT, Waiting.THREADS, 1);
    public static final Cell HOT_16_THREADS = granted(KeySpace.HOT, Waiting.THREADS, 16);
    public static final Cell HOT_64_THREADS = granted(KeySpace.HOT, Waiting.THREADS, 64);
    public static final Cell WIDE_64_THREADS = granted(KeySpace.UNIFORM, Waiting.THREADS, 64);
    public static final Cell HOT_64_ASYNC = granted(KeySpace.HOT, Waiting.ASYNC, 64);
    public static final Cell HOT_1024_ASYNC = granted(KeySpace.HOT, Waiting.ASYNC, 1024);
    public static final Cell WIDE_64_ASYNC = granted(KeySpace.UNIFORM, Waiting.ASYNC, 64);
    public static final Cell WIDE_1024_ASYNC = granted(KeySpace.UNIFORM, Waiting.ASYNC, 1024);
    public static final Cell REJECTED_64_THREADS = new Cell(KeySpace.HOT, Outcome.REJECTED, Waiting.THREADS, 64);
    public static final Cell HOT_1000_VIRTUAL = granted(KeySpace.HOT, Waiting.VIRTUAL, 1000);
    public static final Cell HOT_10000_VIRTUAL = granted(KeySpace.HOT, Waiting.VIRTUAL, 10_000);
    public static final Cell WIDE_1000_VIRTUAL = granted(KeySpace.UNIFORM, Waiting.VIRTUAL, 1000);
    public static final Cell WIDE_10000_VIRTUAL = granted(KeySpace.UNIFORM, Waiting.VIRTUAL, 10_000);

    /** The cells of the summary. */
    public static final List<Cell> SUMMARY = List.of(
            HOT_1_THREAD,
            HOT_16_THREADS,
            HOT_64_THREADS,
            WIDE_64_THREADS,
            HOT_64_ASYNC,
            HOT_1024_ASYNC,
            WIDE_64_ASYNC,
            WIDE_1024_ASYNC,
            REJECTED_64_THREADS);

    private static final int FIRST_JDK_WITH_VIRTUAL_THREADS = 21;

    public Cell {
        if (callers < 1) {
            throw new IllegalArgumentException("callers must be at least 1, was " + callers);
        }
    }

    /** Without a network. */
    public Cell(KeySpace keys, Outcome outcome, Waiting waiting, int callers) {
        this(keys, outcome, waiting, callers, 0);
    }

    /** All that this JVM can run without a network, in the order in which they are run and shown. */
    public static List<Cell> all() {
        List<Cell> cells = new ArrayList<>(SUMMARY);
        if (Runtime.version().feature() >= FIRST_JDK_WITH_VIRTUAL_THREADS) {
            cells.addAll(List.of(HOT_1000_VIRTUAL, HOT_10000_VIRTUAL, WIDE_1000_VIRTUAL, WIDE_10000_VIRTUAL));
        }
        return List.copyOf(cells);
    }

    /** Those with a network to Redis. */
    public static List<Cell> overNetwork(int roundTripMicros) {
        return Stream.of(KeySpace.HOT, KeySpace.UNIFORM)
                .flatMap(keys -> Stream.concat(
                        Stream.of(16, 64).map(callers -> granted(keys, Waiting.THREADS, callers)),
                        Stream.of(granted(keys, Waiting.ASYNC, 1024))))
                .map(cell -> new Cell(cell.keys, cell.outcome, cell.waiting, cell.callers, roundTripMicros))
                .toList();
    }

    private static Cell granted(KeySpace keys, Waiting waiting, int callers) {
        return new Cell(keys, Outcome.GRANTED, waiting, callers);
    }

    /** Such as {@code hot-granted-64-threads}. */
    public String name() {
        return String.join("-", keys.label(), outcome.label(), "" + callers, label(waiting))
                + (roundTripMicros > 0 ? "-rtt-" + roundTripMicros : "");
    }

    /** Such as {@code hot, granted, 64 threads}. */
    public String title() {
        return keys.label() + ", " + outcome.label() + ", " + callers + " "
                + (callers == 1 && waiting == Waiting.THREADS ? "thread" : label(waiting))
                + (roundTripMicros > 0 ? ", round trip " + roundTripMicros + " µs" : "");
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The same demand on a limit below it. */
    public Cell limited() {
        return new Cell(keys, Outcome.LIMITED, waiting, callers, roundTripMicros);
    }

    /**
     * Virtual threads are for contenders that block, asynchronous calls for contenders that have them. The floor has no part
     * in what is to be exact, and what decides in process needs no network.
     */
    public boolean suits(Contender contender) {
        boolean waits = switch (waiting) {
            case THREADS -> true;
            case VIRTUAL -> !contender.inProcess();
            case ASYNC -> contender.async();
        };
        return waits
                && (outcome != Outcome.LIMITED || !contender.isFloor())
                && (roundTripMicros == 0 || !contender.inProcess());
    }
}
