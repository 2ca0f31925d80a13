package io.limiter.benchmark.load;

import io.limiter.benchmark.load.Load.Kind;
import java.util.ArrayList;
import java.util.List;

/** All cells, in the order in which they are run and shown. */
public final class Cells {

    public static final Cell HOT_1_THREAD = granted(KeySpace.HOT, Kind.THREADS, 1);
    public static final Cell HOT_16_THREADS = granted(KeySpace.HOT, Kind.THREADS, 16);
    public static final Cell HOT_64_THREADS = granted(KeySpace.HOT, Kind.THREADS, 64);
    public static final Cell WIDE_64_THREADS = granted(KeySpace.UNIFORM, Kind.THREADS, 64);
    public static final Cell HOT_64_ASYNC = granted(KeySpace.HOT, Kind.ASYNC, 64);
    public static final Cell HOT_1024_ASYNC = granted(KeySpace.HOT, Kind.ASYNC, 1024);
    public static final Cell WIDE_64_ASYNC = granted(KeySpace.UNIFORM, Kind.ASYNC, 64);
    public static final Cell WIDE_1024_ASYNC = granted(KeySpace.UNIFORM, Kind.ASYNC, 1024);
    public static final Cell REJECTED_64_THREADS = new Cell(KeySpace.HOT, Outcome.REJECTED, new Load(Kind.THREADS, 64));

    /** Those of the summary. */
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

    /** Those in which variants take part too. */
    public static final List<Cell> OF_VARIANTS = List.of(HOT_1_THREAD, HOT_64_THREADS);

    private Cells() {}

    /** All that this JVM can run. */
    public static List<Cell> all() {
        List<Cell> cells = new ArrayList<>(SUMMARY);
        cells.add(granted(KeySpace.ZIPF, Kind.THREADS, 64));
        cells.add(granted(KeySpace.ZIPF, Kind.ASYNC, 64));
        if (VirtualThreads.areThere()) {
            cells.add(granted(KeySpace.HOT, Kind.VIRTUAL, 1024));
            cells.add(granted(KeySpace.UNIFORM, Kind.VIRTUAL, 1024));
        }
        cells.add(new Cell(KeySpace.HOT, Outcome.FLEET, new Load(Kind.THREADS, 16)));
        return List.copyOf(cells);
    }

    private static Cell granted(KeySpace keys, Kind kind, int callers) {
        return new Cell(keys, Outcome.GRANTED, new Load(kind, callers));
    }
}
