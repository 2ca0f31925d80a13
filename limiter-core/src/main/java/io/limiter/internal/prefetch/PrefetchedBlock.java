package io.limiter.internal.prefetch;

import io.limiter.algorithm.Decision;
import io.limiter.internal.time.LeaseClock;
import java.util.concurrent.atomic.AtomicInteger;

/** Permits that were taken from the backend and are given out here, until a deadline. Extended by tests alone. */
class PrefetchedBlock {

    private final int size;
    private final Decision leased;
    private final LeaseClock.Deadline deadline;
    private final LeaseClock.Deadline youth;
    private final AtomicInteger left;

    /**
     * @param leased the backend's answer to the request for the whole block
     * @param youth a block that is used up before was too small
     */
    PrefetchedBlock(int size, Decision leased, LeaseClock.Deadline deadline, LeaseClock.Deadline youth) {
        this.size = size;
        this.leased = leased;
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

    /** Takes all of the permits or none. */
    final boolean take(int permits) {
        if (deadline.isOver()) {
            return false;
        }
        int before = left.get();
        while (before >= permits) {
            if (left.compareAndSet(before, before - permits)) {
                return true;
            }
            before = left.get();
        }
        return false;
    }

    /** Takes what is left, so that nobody else can. */
    final int takeRest() {
        return left.getAndSet(0);
    }

    /** The decision for permits that were taken here: what remains in the backend was seen when the block was leased. */
    final Decision granted() {
        return new Decision(
                true,
                leased.limit(),
                leased.remaining() + left(),
                0,
                0,
                leased.resetAfterMicros(),
                Decision.Source.LEASE);
    }
}
