package io.limiter.benchmark.measure;

import java.util.stream.DoubleStream;

/** A figure over several rounds; NaN without rounds. */
public record Spread(double median, double least, double most) {

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
