package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The figures of one cell, added slice by slice. */
public final class CellResult {

    private final Cell cell;
    private final Map<Contender, List<Slice>> slicesByContender = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    CellResult(Cell cell) {
        this.cell = cell;
    }

    /** The figures of the contender's next round. */
    void add(Contender contender, Slice slice) {
        slicesByContender.computeIfAbsent(contender, c -> new ArrayList<>()).add(slice);
    }

    void addProblem(Contender contender, String problem) {
        problems.add(who(contender) + ": " + problem);
    }

    public Cell cell() {
        return cell;
    }

    /** The contenders with figures. */
    public Set<Contender> contenders() {
        return Collections.unmodifiableSet(slicesByContender.keySet());
    }

    /** A figure of each round of a contender. */
    public Spread spread(Contender contender, ToDoubleFunction<Slice> figure) {
        return Spread.of(slicesOf(contender).stream().mapToDouble(figure));
    }

    /** Decisions for each decision of the floor in the same round; {@code null} without the floor. */
    public @Nullable Spread ratioToFloor(Contender contender) {
        List<Slice> own = slicesOf(contender);
        return slicesByContender.entrySet().stream()
                .filter(entry -> entry.getKey().isFloor())
                .findFirst()
                .map(floor -> Spread.of(
                        IntStream.range(0, Math.min(own.size(), floor.getValue().size()))
                                .mapToDouble(round -> own.get(round).decisionsPerSecond()
                                        / floor.getValue().get(round).decisionsPerSecond())))
                .orElse(null);
    }

    /** Grants above the limit in the worst round. */
    public long above(Contender contender) {
        return slicesOf(contender).stream().mapToLong(Slice::above).max().orElse(0);
    }

    /** The problems that invalidate figures: exceptions, rejections where there can be none, or no decisions at all. */
    public List<String> problems() {
        List<String> all = new ArrayList<>(problems);
        slicesByContender.forEach((contender, rounds) -> {
            long rejected = rounds.stream().mapToLong(Slice::rejected).sum();
            if (cell.outcome() == Outcome.GRANTED && rejected > 0) {
                all.add(who(contender) + " rejected " + rejected + " requests where all are to be granted");
            }
            if (rounds.stream().anyMatch(slice -> slice.decisions() == 0)) {
                all.add(who(contender) + " decided nothing in at least one round");
            }
        });
        return all;
    }

    private String who(Contender contender) {
        return contender.name() + " in " + cell.name();
    }

    private List<Slice> slicesOf(Contender contender) {
        return slicesByContender.getOrDefault(contender, List.of());
    }
}
