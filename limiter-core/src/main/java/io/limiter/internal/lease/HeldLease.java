package io.limiter.internal.lease;

import io.limiter.Lease;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.time.ExpiryClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A {@link Lease} of an engine's permits. Thread-safe. */
final class HeldLease implements Lease {

    private static final Logger log = LoggerFactory.getLogger(HeldLease.class);

    private enum State {
        HELD,
        LOST,
        CLOSED
    }

    private final String key;
    private final ConcurrencyLimit limit;
    private final long id;
    private final int permits;
    private final HeldLeases leases;
    private volatile Times times;
    // Changed under this object's monitor, in which nothing blocks.
    private volatile State state = State.HELD;
    private final List<Runnable> onLost = new ArrayList<>(0);

    HeldLease(String key, ConcurrencyLimit limit, long id, int permits, Times times, HeldLeases leases) {
        this.key = key;
        this.limit = limit;
        this.id = id;
        this.permits = permits;
        this.times = times;
        this.leases = leases;
    }

    String key() {
        return key;
    }

    ConcurrencyLimit limit() {
        return limit;
    }

    long id() {
        return id;
    }

    int permits() {
        return permits;
    }

    /** Whether it has expired, by the clock of this JVM. */
    boolean isOver() {
        return times.end.isOver();
    }

    boolean isDue() {
        return times.renewal.isOver();
    }

    /**
     * @param newTimes measured before the renewal was sent
     */
    void renewed(Times newTimes) {
        times = newTimes;
    }

    @Override
    public boolean isHeld() {
        return state == State.HELD && !isOver();
    }

    @Override
    public void onLost(Runnable action) {
        synchronized (this) {
            if (state == State.HELD) {
                onLost.add(action);
                return;
            }
            if (state == State.CLOSED) {
                return;
            }
        }
        action.run();
    }

    /** Marks the lease as lost and runs the actions of {@link #onLost}, unless it was closed. */
    void lose(String why) {
        List<Runnable> actions;
        synchronized (this) {
            if (state != State.HELD) {
                return;
            }
            state = State.LOST;
            actions = List.copyOf(onLost);
            onLost.clear();
        }
        log.warn("A lease of '{}' is lost: {}. Its permits may be granted to others now.", key, why);
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                // The thread also checks other leases.
                log.error("An onLost action of a lease of '{}' has thrown.", key, e);
            }
        }
    }

    @Override
    public void close() {
        if (markClosed()) {
            leases.release(this);
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return markClosed() ? leases.releaseAsync(this) : CompletableFuture.completedFuture(null);
    }

    /** Lost leases are released too: the backend may have renewed one although its reply was lost. */
    private synchronized boolean markClosed() {
        boolean first = state != State.CLOSED;
        state = State.CLOSED;
        onLost.clear();
        return first;
    }

    @Override
    public String toString() {
        return "Lease[" + key + ", " + (isHeld() ? "held" : state == State.CLOSED ? "closed" : "lost") + "]";
    }

    /** When a lease expires and when it is to be renewed, both measured from before the request was sent. */
    static final class Times {

        private static final int RENEWED_AT = 4;

        private final ExpiryClock.Deadline end;
        private final ExpiryClock.Deadline renewal;

        Times(ExpiryClock clock, ConcurrencyLimit limit) {
            long leaseNanos = limit.leaseTime().toNanos();
            this.end = clock.in(leaseNanos);
            this.renewal = clock.in(leaseNanos / RENEWED_AT);
        }
    }
}
