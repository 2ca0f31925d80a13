package io.limiter.benchmark.measure;

import org.HdrHistogram.Histogram;

/**
 * The figures of one subject in one round of one cell.
 *
 * @param seconds how long was measured
 * @param granted decisions in that time that were grants
 * @param rejected decisions that were rejections
 * @param failed requests that ended in an exception and are no decisions
 * @param latency from request to decision
 * @param commandsSent to Redis by the clients
 * @param redisCpuMicros processor time of Redis
 * @param clientCpuNanos processor time of this JVM
 * @param allocatedBytes allocated in this JVM
 */
public record Slice(
        double seconds,
        long granted,
        long rejected,
        long failed,
        Latency latency,
        long commandsSent,
        double redisCpuMicros,
        long clientCpuNanos,
        long allocatedBytes) {

    public long decisions() {
        return granted + rejected;
    }

    public double decisionsPerSecond() {
        return decisions() / seconds;
    }

    /** A total over all decisions, for one; not a number if there were none. */
    public double perDecision(double total) {
        return decisions() == 0 ? Double.NaN : total / decisions();
    }

    /** Percentiles of latencies, in microseconds; not numbers if there were none. */
    public record Latency(double p50, double p99, double p999) {

        /** From nanoseconds. */
        static Latency of(Histogram nanos) {
            return new Latency(micros(nanos, 50), micros(nanos, 99), micros(nanos, 99.9));
        }

        private static double micros(Histogram nanos, double percentile) {
            return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile) / 1e3;
        }
    }
}
