package io.limiter.spring.internal.actuate;

import io.limiter.internal.statistics.EngineObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of the durations of calls to Redis since the start, for the endpoint. Its buckets are powers of two, so
 * percentiles are up to twice too long.
 */
public final class CallTimes implements EngineObserver {

    private static final int BUCKETS = Long.SIZE;

    // Bucket n counts calls of less than 2^n µs.
    private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
    private final AtomicLong micros = new AtomicLong();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    @Override
    public void called(long nanos, boolean hasFailed) {
        long took = Math.max(0, nanos / 1000);
        buckets.incrementAndGet(BUCKETS - Long.numberOfLeadingZeros(took | 1));
        micros.addAndGet(took);
        longest.accumulateAndGet(took, Math::max);
        if (hasFailed) {
            failed.incrementAndGet();
        }
    }

    Summary summary() {
        long calls = 0;
        for (int i = 0; i < BUCKETS; i++) {
            calls += buckets.get(i);
        }
        return new Summary(
                calls,
                failed.get(),
                millis(calls == 0 ? 0 : micros.get() / calls),
                millis(percentile(calls, 0.5)),
                millis(percentile(calls, 0.99)),
                millis(longest.get()));
    }

    /** A percentile in microseconds. */
    private long percentile(long calls, double share) {
        long seen = 0;
        for (int i = 0; i < BUCKETS - 1; i++) {
            seen += buckets.get(i);
            if (calls > 0 && seen >= share * calls) {
                return Math.min(1L << i, longest.get());
            }
        }
        return calls == 0 ? 0 : longest.get();
    }

    private static double millis(long micros) {
        return Duration.ofNanos(micros * 1000).toNanos() / 1e6;
    }

    /**
     * Durations are in milliseconds.
     *
     * @param failed how many of the calls failed or timed out
     * @param p50 the median
     * @param p99 the 99th percentile
     */
    public record Summary(long calls, long failed, double mean, double p50, double p99, double longest) {}
}
