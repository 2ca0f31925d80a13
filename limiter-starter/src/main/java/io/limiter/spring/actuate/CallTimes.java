package io.limiter.spring.actuate;

import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long calls to Redis took since the start, for the endpoint, which needs no meters. It is a histogram of powers of two,
 * so percentiles are up to twice too long.
 */
public final class CallTimes implements EngineObserver {

    private static final int BUCKETS = Long.SIZE;

    // The bucket n has calls of less than 2^n microseconds.
    private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
    private final AtomicLong micros = new AtomicLong();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    @Override
    public void called(long nanos, boolean hasFailed) {
        long took = Math.max(0, nanos / 1000);
        buckets.incrementAndGet(BUCKETS - 1 - Long.numberOfLeadingZeros(took | 1) + 1);
        micros.addAndGet(took);
        longest.accumulateAndGet(took, Math::max);
        if (hasFailed) {
            failed.incrementAndGet();
        }
    }

    /** What was measured so far. */
    Summary summary() {
        long calls = 0;
        for (int i = 0; i < BUCKETS; i++) {
            calls += buckets.get(i);
        }
        return new Summary(
                calls,
                failed.get(),
                millis(calls == 0 ? 0 : micros.get() / calls),
                millis(within(calls, 0.5)),
                millis(within(calls, 0.99)),
                millis(longest.get()));
    }

    /** In how many microseconds such a share of the calls was answered. */
    private long within(long calls, double share) {
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
     * In milliseconds.
     *
     * @param failed how many of the calls had no answer, or an error
     * @param halfWithin what half of the calls took at most
     * @param mostWithin what 99 of 100 calls took at most
     */
    public record Summary(long calls, long failed, double mean, double halfWithin, double mostWithin, double longest) {}
}
