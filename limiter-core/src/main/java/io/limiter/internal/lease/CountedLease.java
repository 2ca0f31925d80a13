package io.limiter.internal.lease;

import io.limiter.Lease;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ExpiryClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A {@link Lease} of an engine's permits. Thread-safe. */
final class CountedLease implements Lease {

    private enum State {
        HELD,
        LOST,
        CLOSED
    }

    final String key;
    final ConcurrencyLimit limit;
    final long id;
    final long permits;

    private final Leases leases;
    private volatile Times times;
    // Changed under this object's monitor, in which nothing blocks.
    private volatile State state = State.HELD;
    private List<Runnable> onLost = List.of();

    /** To be made before its request is sent, because its time counts from now. */
    CountedLease(LeaseRequest<?> request, long id, ExpiryClock clock, Leases leases) {
        this.key = request.key();
        this.limit = request.limit();
        this.id = id;
        this.permits = request.permits();
        this.times = new Times(clock, limit);
        this.leases = leases;
    }

    /** Ends a request by the decision on it. If its caller has cancelled, this is released. */
    void end(LeaseRequest<?> request, Outcome decision) {
        if (!decision.isGranted()) {
            request.reject(decision);
        } else if (!request.grant(this, decision)) {
            closeAsync();
        }
    }

    boolean isClosed() {
        return state == State.CLOSED;
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
        Objects.requireNonNull(action, "action");
        synchronized (this) {
            if (state == State.HELD) {
                onLost = onLost.isEmpty() ? new ArrayList<>(1) : onLost;
                onLost.add(action);
                return;
            }
            if (state == State.CLOSED) {
                return;
            }
        }
        action.run();
    }

    /**
     * Marks this as lost. If it succeeds, {@link #runOnLost} must follow.
     *
     * @return {@code false} if it was lost or closed before
     */
    synchronized boolean markLost() {
        boolean lost = state == State.HELD;
        state = lost ? State.LOST : state;
        return lost;
    }

    /** Runs the actions of {@link #onLost}. */
    void runOnLost(LeaseLog log) {
        for (Runnable action : takeActions()) {
            try {
                action.run();
            } catch (Throwable e) {
                // The thread also releases and checks other leases. Other languages throw checked exceptions, too.
                log.actionThrew(key, e);
            }
        }
    }

    private synchronized List<Runnable> takeActions() {
        List<Runnable> actions = onLost;
        onLost = List.of();
        return actions;
    }

    @Override
    public void close() {
        close(true).join();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return close(false);
    }

    private CompletableFuture<Void> close(boolean awaited) {
        return markClosed() ? leases.release(this, awaited) : CompletableFuture.completedFuture(null);
    }

    /** Lost leases are released too: the backend may have renewed one although its reply was lost. */
    private synchronized boolean markClosed() {
        boolean first = state != State.CLOSED;
        if (state == State.HELD) {
            onLost = List.of();
        }
        state = State.CLOSED;
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
