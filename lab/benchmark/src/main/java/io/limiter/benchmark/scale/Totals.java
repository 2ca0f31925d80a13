package io.limiter.benchmark.scale;

import org.HdrHistogram.Histogram;

/** What became of the requests of a simulated run. */
final class Totals {

    /** Where a request was decided. */
    enum By {
        BACKEND,
        PREFETCHED,
        CACHED,
        LOCAL
    }

    private static final long NO_CALL_NANOS = 1;

    private final double permitsPerMicro;
    private final Histogram latency = new Histogram(60_000_000_000L, 2);
    private final long[] decided = new long[By.values().length];
    private boolean measuring;
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

    void decidedAtOnce(By by) {
        decided(by, NO_CALL_NANOS);
    }

    void decided(By by, long nanos) {
        if (measuring) {
            decided[by.ordinal()]++;
            latency.recordValue(nanos);
        }
    }

    /** A permit that a caller got. */
    void granted() {
        granted += measuring ? 1 : 0;
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
        grantedByOne += measuring ? 1 : 0;
    }

    long requests() {
        long sum = 0;
        for (long part : decided) {
            sum += part;
        }
        return sum;
    }

    double share(By by) {
        return requests() == 0 ? 0 : (double) decided[by.ordinal()] / requests();
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
