package io.limiter.internal.prefetch;

import io.limiter.algorithm.Decision;
import io.limiter.internal.time.ExpiryClock;
import java.util.concurrent.atomic.AtomicInteger;

/** A block of prefetched permits, usable until a deadline. Thread-safe. Extended only by tests. */
class PrefetchedPermits {

    private final int size;
    private final Decision prefetched;
    private final ExpiryClock.Deadline deadline;
    private final ExpiryClock.Deadline youth;
    private final AtomicInteger left;

    /**
     * @param prefetched the backend's decision for the whole block
     * @param youth a block that is used up before this was too small
     */
    PrefetchedPermits(int size, Decision prefetched, ExpiryClock.Deadline deadline, ExpiryClock.Deadline youth) {
        this.size = size;
        this.prefetched = prefetched;
        this.deadline = deadline;
        this.youth = youth;
        this.left = new AtomicInteger(size);
    }

    final int size() {
        return size;
    }

    int left() {
        return left.get();
    }

    final boolean isOver() {
        return deadline.isOver();
    }

    final boolean isYoung() {
        return !youth.isOver();
    }

    /**
     * Takes all of the permits or none.
     *
     * @return how many are left; negative if none were taken
     */
    final int take(int permits) {
        if (deadline.isOverByMillis()) {
            return -1;
        }
        int after = left.get() - permits;
        while (after >= 0 && !left.compareAndSet(after + permits, after)) {
            after = left.get() - permits;
        }
        return after;
    }

    /** Takes all remaining permits. */
    final int takeRest() {
        return left.getAndSet(0);
    }

    /** The decision for permits of this block. The backend's remaining permits are as of the prefetch. */
    final Decision granted() {
        return new Decision(
                true,
                prefetched.limit(),
                prefetched.remaining() + left(),
                0,
                0,
                prefetched.fullAfterMicros(),
                Decision.Source.PREFETCH);
    }
}
