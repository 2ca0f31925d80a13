package io.limiter.internal.prefetch;

import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.LimitStep;

/** How many permits an instance prefetches of a key, and for how long they are to last. */
final class PrefetchSize {

    /** Part of the prefetch time after which the backend lets an instance call again, if there are few. */
    static final double PAUSE = 0.25;

    /** Pauses for which a block is to last, as requests come unevenly less than it is usable. */
    private static final double PAUSES = 1.2;

    /**
     * If the last call was longer ago than so many times what a block is to last, the rate since then says nothing: the instance
     * requests an equal part of what is refilled, which each call of as many as are allowed would get.
     */
    private static final double RECENT = 4;

    /** The rate of a few requests can be far off: a block has no more permits than so many times those that were requested. */
    private static final double MOST_GROWTH = 4;

    /** Of a block, whose counts are packed into one number. Requests for more go to the backend. */
    private static final int MOST_PERMITS = 1_000_000_000;

    private final LimitStep<?> limit;
    private final long timeNanos;
    private final int callsPerSecond;

    PrefetchSize(LimitStep<?> limit, Prefetch terms) {
        this.limit = limit;
        this.timeNanos = terms.time().toNanos();
        this.callsPerSecond = terms.callsPerSecond();
    }

    /**
     * How many permits an instance will need until its next call, in addition to those that it has.
     *
     * @param requestedSince permits that were requested since its last call
     * @param sinceNanos how long ago that was
     * @param pauseNanos after which the backend let it call again
     * @param left permits that it has
     */
    int wanted(double requestedSince, long sinceNanos, long pauseNanos, int left) {
        double requested = Math.max(1, requestedSince);
        double lasts = lasts(pauseNanos);
        long since = Math.max(1, sinceNanos);
        double expected = since > RECENT * lasts && limit instanceof TokenBucket bucket
                ? Math.max(requested, bucket.permitsPerSecond() / callsPerSecond)
                : Math.min(requested * lasts / since, MOST_GROWTH * requested);
        double needed = Math.min(limit.capacity(), Math.ceil(expected + 2 * Math.sqrt(expected)));
        return (int) Math.min(MOST_PERMITS, needed - left);
    }

    /** How many nanoseconds a block is to last. */
    double lasts(long pauseNanos) {
        return PAUSES * Math.max(PAUSE * timeNanos, pauseNanos);
    }
}
