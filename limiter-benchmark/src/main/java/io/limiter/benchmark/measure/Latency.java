package io.limiter.benchmark.measure;

import org.HdrHistogram.Histogram;

/** Percentiles of latencies and the worst one, in microseconds; not numbers if there were none. */
public record Latency(double p50, double p99, double p999, double worst) {

    /** From nanoseconds. */
    static Latency of(Histogram nanos) {
        return new Latency(micros(nanos, 50), micros(nanos, 99), micros(nanos, 99.9), micros(nanos, 100));
    }

    private static double micros(Histogram nanos, double percentile) {
        return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile) / 1e3;
    }
}
