package io.limiter.benchmark.scale;

import org.HdrHistogram.Histogram;

/** What became of the requests of a simulated run. */
final class Totals {

    private final double permitsPerMicro;
    private final Histogram latency = new Histogram(60_000_000_000L, 2);
    private boolean measuring;
    private long backend;
    private long prefetched;
    private long cached;
    private long local;
    private long granted;
    private long grantedByOne;
    private double excess;
    private double worstExcess;
    private long lastGrantMicros;

    /** {@code permitsPerSecond}: the refill rate of the limit. */
    Totals(double permitsPerSecond) {
        this.permitsPerMicro = permitsPerSecond / 1e6;
    }

    void startMeasuring() {
        measuring = true;
    }

    void decidedByBackend(long nanos) {
        if (measuring) {
            backend++;
            latency.recordValue(nanos);
        }
    }

    void prefetched() {
        if (measuring) {
            prefetched++;
            latency.recordValue(1);
        }
    }

    void cached() {
        if (measuring) {
            cached++;
            latency.recordValue(1);
        }
    }

    void local(long nanos) {
        if (measuring) {
            local++;
            latency.recordValue(nanos);
        }
    }

    /** A permit that a caller got. */
    void granted() {
        if (measuring) {
            granted++;
        }
    }

    /**
     * A permit that was taken, in Redis or locally. The most permits of any interval beyond what is refilled in it is
     * the largest sum of consecutive terms (Kadane).
     */
    void taken(long nowMicros) {
        excess = Math.max(0, excess - permitsPerMicro * (nowMicros - lastGrantMicros)) + 1;
        lastGrantMicros = nowMicros;
        worstExcess = Math.max(worstExcess, excess);
    }

    /** What a single bucket without any network would have granted. */
    void grantedByOne() {
        if (measuring) {
            grantedByOne++;
        }
    }

    long requests() {
        return backend + prefetched + cached + local;
    }

    double shareOfBackend() {
        return share(backend);
    }

    double shareWithoutCall() {
        return share(prefetched + cached);
    }

    double shareOfLocal() {
        return share(local);
    }

    private double share(long part) {
        return requests() == 0 ? 0 : (double) part / requests();
    }

    double grantedOfPossible() {
        return grantedByOne == 0 ? 1 : (double) granted / grantedByOne;
    }

    /** The most permits beyond the refill in any interval; a limit allows its capacity. */
    double worstExcess() {
        return worstExcess;
    }

    double latencyMillis(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1e6;
    }
}
