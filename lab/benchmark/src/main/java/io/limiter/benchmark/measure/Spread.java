package io.limiter.benchmark.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** A figure over several rounds; NaN without rounds. */
public record Spread(double median, double least, double most) {

    /** A figure for each of another one in the same round. */
    public static <T> Spread ratio(List<T> rounds, List<T> others, ToDoubleFunction<T> figure) {
        return of(IntStream.range(0, Math.min(rounds.size(), others.size()))
                .mapToDouble(
                        round -> figure.applyAsDouble(rounds.get(round)) / figure.applyAsDouble(others.get(round))));
    }

    /** By how much a figure is higher than that of another one in the same round. */
    public static <T> Spread difference(List<T> rounds, List<T> others, ToDoubleFunction<T> figure) {
        return of(IntStream.range(0, Math.min(rounds.size(), others.size()))
                .mapToDouble(
                        round -> figure.applyAsDouble(rounds.get(round)) - figure.applyAsDouble(others.get(round))));
    }

    public static Spread of(DoubleStream values) {
        double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
