package io.limiter.internal.lease;

import io.limiter.Lease;
import java.util.concurrent.CompletableFuture;

/** A lease of a policy that lets everybody through: nobody counts it, so it cannot be lost. */
public final class UncountedLease implements Lease {

    private volatile boolean closed;

    @Override
    public boolean isHeld() {
        return !closed;
    }

    @Override
    public void onLost(Runnable action) {
        // Never.
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        close();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public String toString() {
        return "Lease[nobody counts it" + (closed ? ", closed]" : "]");
    }
}
