package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.Allowance;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.LongSupplier;

/**
 * Compares the grants of a subject for an id, at each grant, with what its allowance can have given since before the
 * first request. A grant is counted when its answer has arrived, so the comparison errs in the subject's favour.
 */
final class LimitCheck {

    /** How much faster a clock in Redis may run than the one here: far more than two clocks really differ. */
    static final double CLOCK_TOLERANCE = 1.001;

    private final Allowance allowance;
    private final LongSupplier nanoClock;
    private final long startNanos;
    private final AtomicLongArray grantsById;
    private final LongAccumulator above = new LongAccumulator(Math::max, 0);

    /**
     * Begins now, with full buckets; no request must have been made.
     *
     * @param ids how many buckets there are
     */
    LimitCheck(Allowance allowance, int ids) {
        this(allowance, ids, System::nanoTime);
    }

    LimitCheck(Allowance allowance, int ids, LongSupplier nanoClock) {
        this.allowance = allowance;
        this.grantsById = new AtomicLongArray(ids);
        this.nanoClock = nanoClock;
        this.startNanos = nanoClock.getAsLong();
    }

    /** To be called when a grant has arrived. */
    void granted(int id) {
        long granted = grantsById.incrementAndGet(id);
        double seconds = (nanoClock.getAsLong() - startNanos) / 1e9;
        double most = allowance.permits() + allowance.permitsPerSecond() * seconds * CLOCK_TOLERANCE;
        above.accumulate(granted - (long) Math.floor(most));
    }

    /** By how many the grants of the worst id were more than allowed when it was worst; 0 if they never were. */
    long above() {
        return above.get();
    }
}
