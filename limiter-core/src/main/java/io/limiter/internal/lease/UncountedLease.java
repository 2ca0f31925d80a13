package io.limiter.internal.lease;

import io.limiter.Lease;
import java.util.concurrent.CompletableFuture;

/** A lease of a fail-open policy or of an exempt key. No permits are counted, so it cannot be lost. */
public final class UncountedLease implements Lease {

    private volatile boolean closed;

    @Override
    public boolean isHeld() {
        return !closed;
    }

    @Override
    public void onLost(Runnable action) {
        // It is never lost.
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
        return "Lease[not counted" + (closed ? ", closed]" : "]");
    }
}
