package io.limiter.benchmark.load;

import io.limiter.benchmark.load.Load.Kind;
import java.util.ArrayList;
import java.util.List;

/** All cells, in the order in which they are run and shown. */
public final class Cells {

    private static final Load ONE_THREAD = new Load(Kind.THREADS, 1);
    private static final Load SIXTEEN_THREADS = new Load(Kind.THREADS, 16);
    private static final Load SIXTY_FOUR_THREADS = new Load(Kind.THREADS, 64);
    private static final Load SIXTY_FOUR_ASYNC = new Load(Kind.ASYNC, 64);
    private static final Load THOUSAND_ASYNC = new Load(Kind.ASYNC, 1024);
    private static final Load THOUSAND_VIRTUAL = new Load(Kind.VIRTUAL, 1024);

    /** Those of the short selection, which are also the ones in the chart. */
    public static final List<Cell> SHORT = List.of(
            new Cell(KeySpace.HOT, Outcome.GRANTED, ONE_THREAD),
            new Cell(KeySpace.HOT, Outcome.GRANTED, SIXTY_FOUR_THREADS),
            new Cell(KeySpace.HOT, Outcome.GRANTED, SIXTY_FOUR_ASYNC),
            new Cell(KeySpace.UNIFORM, Outcome.GRANTED, SIXTY_FOUR_ASYNC),
            new Cell(KeySpace.HOT, Outcome.REJECTED, SIXTY_FOUR_THREADS),
            new Cell(KeySpace.HOT, Outcome.MIXED, SIXTY_FOUR_THREADS),
            new Cell(KeySpace.HOT, Outcome.FLEET, SIXTEEN_THREADS));

    private Cells() {}

    /** All that this JVM can run. */
    public static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (KeySpace keys : KeySpace.values()) {
            addAll(cells, keys, Outcome.GRANTED);
        }
        // Not over Zipf's keys: it would take longer to use up their permits than to measure.
        addAll(cells, KeySpace.HOT, Outcome.REJECTED);
        addAll(cells, KeySpace.UNIFORM, Outcome.REJECTED);
        for (Load load : List.of(SIXTEEN_THREADS, SIXTY_FOUR_THREADS, SIXTY_FOUR_ASYNC)) {
            cells.add(new Cell(KeySpace.HOT, Outcome.MIXED, load));
        }
        cells.add(new Cell(KeySpace.HOT, Outcome.FLEET, SIXTEEN_THREADS));
        return List.copyOf(cells);
    }

    private static void addAll(List<Cell> cells, KeySpace keys, Outcome outcome) {
        for (Load load : List.of(
                ONE_THREAD, SIXTEEN_THREADS, SIXTY_FOUR_THREADS, SIXTY_FOUR_ASYNC, THOUSAND_ASYNC, THOUSAND_VIRTUAL)) {
            if (load.kind() != Kind.VIRTUAL || VirtualThreads.areThere()) {
                cells.add(new Cell(keys, outcome, load));
            }
        }
    }
}
