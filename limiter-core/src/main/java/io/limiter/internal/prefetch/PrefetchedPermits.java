package io.limiter.internal.prefetch;

import io.limiter.algorithm.Decision;
import io.limiter.internal.time.ExpiryClock;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A block of prefetched permits, usable until a deadline. Towards its end it drops permits that are not used, evenly, because the
 * backend relies on that. Thread-safe. Extended only by tests.
 */
class PrefetchedPermits {

    /** Part of a block that is left when the next one is prefetched. */
    private static final double LOW = 0.25;

    private final Decision prefetched;
    private final long capacity;
    private final ExpiryClock.Deadline deadline;
    private final int size;
    private final AtomicInteger left;
    private final AtomicInteger dropped = new AtomicInteger();
    private final long heldNanos;
    private final long oldNanos;
    // Lost updates do no harm.
    private boolean old;
    private final AtomicInteger reported = new AtomicInteger();

    /**
     * @param prefetched the backend's decision, whose limit is the size of the block
     * @param capacity of the limit
     * @param heldNanos so long before the deadline, it begins to drop permits
     * @param oldNanos so long before the deadline, a block is old
     */
    PrefetchedPermits(
            Decision prefetched, long capacity, ExpiryClock.Deadline deadline, long heldNanos, long oldNanos) {
        this.prefetched = prefetched;
        this.capacity = capacity;
        this.deadline = deadline;
        this.heldNanos = heldNanos;
        this.oldNanos = oldNanos;
        this.size = (int) prefetched.limit();
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

    /** The backend's decision. */
    final Decision prefetched() {
        return prefetched;
    }

    /**
     * Takes all of the permits or none.
     *
     * @return how many are left; negative if none were taken
     */
    final int take(int permits) {
        long leftNanos = deadline.leftNanosByMillis();
        if (leftNanos <= 0) {
            return -1;
        }
        if (leftNanos < oldNanos && !old) {
            old = true;
        }
        if (leftNanos < heldNanos) {
            drop((int) ((double) size * leftNanos / heldNanos));
        }
        int after = left.get() - permits;
        while (after >= 0 && !left.compareAndSet(after + permits, after)) {
            after = left.get() - permits;
        }
        return after;
    }

    private void drop(int most) {
        int before = left.get();
        while (before > most && !left.compareAndSet(before, most)) {
            before = left.get();
        }
        if (before > most) {
            dropped.addAndGet(before - most);
        }
    }

    /** Whether it is time to prefetch the next block, as of the last permits that were taken. */
    final boolean isNearEnd(int nowLeft) {
        return old || nowLeft <= size * LOW;
    }

    /** Takes all permits that were not used, the dropped ones too. */
    final int takeRest() {
        return left.getAndSet(0) + dropped.getAndSet(0);
    }

    /** Whether so many are unused that returning them is worth a call. */
    final boolean isWorthReturning() {
        return left.get() > 0 || 2 * dropped.get() >= size;
    }

    /** How many were used since {@link #report}. */
    final int newlyUsed() {
        return Math.max(0, used() - reported.get());
    }

    /** As {@link #newlyUsed}, which begins anew. */
    final int report() {
        int used = used();
        // Permits that are dropped meanwhile may have counted as used.
        return Math.max(0, used - reported.getAndSet(used));
    }

    private int used() {
        return size - left() - dropped.get();
    }

    /** The decision for permits of this block, to be cancelled as its rest is. What remains in the backend is as of the prefetch. */
    final Decision granted() {
        return new Decision(
                true,
                capacity,
                prefetched.remaining() + left(),
                0,
                0,
                prefetched.fullAfterMicros(),
                Decision.Source.PREFETCH,
                prefetched.ticketMicros());
    }
}
