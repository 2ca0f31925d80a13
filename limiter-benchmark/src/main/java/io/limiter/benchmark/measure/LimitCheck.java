package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.Allowance;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * Compares the grants of a subject, at each grant, with what its allowance can have given since before the first
 * request. A grant is counted when its answer has arrived, so the comparison errs in the subject's favour.
 */
public final class LimitCheck {

    /** How much faster a clock in Redis may run than the one here: far more than two clocks really differ. */
    private static final double CLOCK_TOLERANCE = 1.001;

    private final Allowance allowance;
    private final int ids;
    private final long startNanos = System.nanoTime();
    private final AtomicLong grants = new AtomicLong();
    private final LongAccumulator above = new LongAccumulator(Math::max, 0);

    /**
     * Begins now, with full buckets; no request must have been made.
     *
     * @param ids how many buckets there are
     */
    public LimitCheck(Allowance allowance, int ids) {
        this.allowance = allowance;
        this.ids = ids;
    }

    /** To be called when a grant has arrived. */
    public void granted() {
        long granted = grants.incrementAndGet();
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        double most = allowance.permits() + allowance.permitsPerSecond() * seconds * CLOCK_TOLERANCE;
        above.accumulate(granted - (long) Math.floor(ids * most));
    }

    public long grants() {
        return grants.get();
    }

    /** By how many the grants were more than allowed when it was worst; 0 if they never were. */
    public long above() {
        return above.get();
    }
}
