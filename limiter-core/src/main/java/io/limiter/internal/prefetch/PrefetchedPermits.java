package io.limiter.internal.prefetch;

import io.limiter.Decision;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Verdict;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A block of prefetched permits, usable until a deadline. Towards its end it drops permits that are not used, evenly, because the
 * backend relies on that. Thread-safe. Extended only by tests.
 */
class PrefetchedPermits {

    /** Part of a block that is left when the next one is prefetched. */
    private static final double LOW = 0.25;

    /** A dropped permit in {@link #unused}. */
    private static final long DROPPED = 1L << Integer.SIZE;

    private final Verdict prefetched;
    private final long capacity;
    private final ExpiryClock.Deadline deadline;
    private final long usableNanos;
    private final int size;
    // How many are left, in the lower half, and how many were dropped.
    private final AtomicLong unused;
    // How many of the dropped permits were returned.
    private final AtomicInteger returned = new AtomicInteger();
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
    PrefetchedPermits(Verdict prefetched, long capacity, ExpiryClock.Deadline deadline, long heldNanos, long oldNanos) {
        this.prefetched = prefetched;
        this.capacity = capacity;
        this.deadline = deadline;
        this.heldNanos = heldNanos;
        this.oldNanos = oldNanos;
        this.size = (int) prefetched.limit();
        this.unused = new AtomicLong(size);
        this.usableNanos = -deadline.agoNanos();
    }

    int left() {
        return (int) unused.get();
    }

    final boolean isOver() {
        return deadline.isOver();
    }

    /** The backend's decision. */
    final Verdict prefetched() {
        return prefetched;
    }

    /**
     * Takes all of the permits or none.
     *
     * @return how many are left; negative if none were taken
     */
    final long take(long permits) {
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
        long before = unused.get();
        while ((int) before >= permits && !unused.compareAndSet(before, before - permits)) {
            before = unused.get();
        }
        return (int) before - permits;
    }

    private void drop(int most) {
        long before = unused.get();
        while ((int) before > most && !unused.compareAndSet(before, before + ((int) before - most) * (DROPPED - 1))) {
            before = unused.get();
        }
    }

    /** Whether it is time to prefetch the next block, as of the last permits that were taken. */
    final boolean isNearEnd(long nowLeft) {
        return old || nowLeft <= size * LOW;
    }

    private int dropped() {
        return (int) (unused.get() / DROPPED);
    }

    /** Takes all permits that were not used, the dropped ones too. */
    final int takeRest() {
        drop(0);
        int all = dropped();
        return all - returned.getAndSet(all);
    }

    /** Whether so many are unused that returning them is worth a call. */
    final boolean isWorthReturning() {
        return left() > 0 || 2 * dropped() >= size;
    }

    /** How many were used since {@link #report}. */
    final int newlyUsed() {
        return used() - reported.get();
    }

    /** As {@link #newlyUsed}, which starts from 0 again. */
    final int report() {
        int used = used();
        return Math.max(0, used - reported.getAndSet(used));
    }

    private int used() {
        long now = unused.get();
        return size - (int) now - (int) (now / DROPPED);
    }

    /** The decision for permits of this block, to be cancelled as its rest is. What remains in the backend is as of the prefetch. */
    final Outcome granted() {
        long ageMicros = TimeUnit.NANOSECONDS.toMicros(usableNanos + deadline.agoNanos());
        Verdict verdict = Verdict.granted(
                        capacity,
                        prefetched.remaining() + left(),
                        Math.max(0, prefetched.fullAfterMicros() - ageMicros))
                .withTicketMicros(prefetched.ticketMicros());
        return new Outcome(verdict, Decision.Source.PREFETCH);
    }
}
