package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one cell, added slice by slice.
 *
 * @param roundTrip what one took by the cell's network before the first slice; {@code null} without one
 * @param slicesByContender by name, one for each round
 * @param aboveByContender grants of one id above its limit, in the worst slice
 * @param failureByContender the first exception of a request
 * @param givenUpByContender why it took no further part
 */
public record CellResult(
        Cell cell,
        @Nullable Latency roundTrip,
        Map<String, List<Slice>> slicesByContender,
        Map<String, Long> aboveByContender,
        Map<String, String> failureByContender,
        Map<String, String> givenUpByContender) {

    CellResult(Cell cell, @Nullable Latency roundTrip) {
        this(
                cell,
                roundTrip,
                new LinkedHashMap<>(),
                new LinkedHashMap<>(),
                new LinkedHashMap<>(),
                new LinkedHashMap<>());
    }

    /** The figures of the contender's next round. */
    void add(Contender contender, Slice slice) {
        slicesByContender
                .computeIfAbsent(contender.name(), name -> new ArrayList<>())
                .add(slice);
    }

    /** What else a slice has shown: grants above the limit, if that was checked, and the first exception. */
    void addOutcome(Contender contender, @Nullable LimitCheck check, @Nullable Throwable failure) {
        if (check != null) {
            aboveByContender.merge(contender.name(), check.above(), Math::max);
        }
        if (failure != null) {
            failureByContender.putIfAbsent(contender.name(), failure.toString());
        }
    }

    void giveUp(Contender contender, RuntimeException failure) {
        givenUpByContender.putIfAbsent(contender.name(), failure.toString());
    }

    public boolean has(Contender contender) {
        return slicesByContender.containsKey(contender.name());
    }

    /** A figure of each round of a contender. */
    public Spread spread(Contender contender, ToDoubleFunction<Slice> figure) {
        return Spread.of(slicesOf(contender).stream().mapToDouble(figure));
    }

    /** Decisions of one for each decision of the other in the same round. */
    public Spread ratio(Contender one, Contender other) {
        return Spread.ratio(slicesOf(one), slicesOf(other), Slice::decisionsPerSecond);
    }

    /** Grants above the limit in the worst slice; {@code null} if it was not checked. */
    public @Nullable Long above(Contender contender) {
        return aboveByContender.get(contender.name());
    }

    /** The problems that invalidate figures: exceptions, rejections where there can be none, or no decisions at all. */
    public List<String> problems() {
        List<String> all = new ArrayList<>();
        givenUpByContender.forEach((name, failure) -> all.add(who(name) + ": " + failure));
        slicesByContender.forEach((name, rounds) -> {
            long rejected = rounds.stream().mapToLong(Slice::rejected).sum();
            if (cell.outcome() == Outcome.GRANTED && rejected > 0) {
                all.add(who(name) + " rejected " + rejected + " requests where all are to be granted");
            }
            if (rounds.stream().anyMatch(slice -> slice.decisions() == 0)) {
                all.add(who(name) + " decided nothing in at least one round");
            }
        });
        return all;
    }

    private String who(String contender) {
        return contender + " in " + cell.name();
    }

    private List<Slice> slicesOf(Contender contender) {
        return slicesByContender.getOrDefault(contender.name(), List.of());
    }
}
