package io.limiter.spring.check;

import io.limiter.Lease;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check: a rejection, or a grant that is closed when the call is done. Closing it releases the concurrency
 * permits that the call holds, once. Safe for use by many threads.
 */
public final class CheckResult implements AutoCloseable {

    static final CheckResult GRANTED = new CheckResult(null, null, null);
    private static final CompletableFuture<@Nullable Void> CLOSED = CompletableFuture.completedFuture(null);

    private final @Nullable Rejection rejection;
    private final @Nullable Lease lease;
    private final @Nullable CompletableFuture<Lease> shadowLease;

    private CheckResult(
            @Nullable Rejection rejection, @Nullable Lease lease, @Nullable CompletableFuture<Lease> shadowLease) {
        this.rejection = rejection;
        this.lease = lease;
        this.shadowLease = shadowLease;
    }

    static CheckResult rejected(Rejection rejection) {
        return new CheckResult(rejection, null, null);
    }

    /**
     * @param lease {@code null} if the call holds none
     * @param shadowLease of a concurrency limit in shadow mode; {@code null} if there is none
     */
    static CheckResult granted(@Nullable Lease lease, @Nullable CompletableFuture<Lease> shadowLease) {
        return lease == null && shadowLease == null ? GRANTED : new CheckResult(null, lease, shadowLease);
    }

    /** {@code null} if the call can proceed. */
    public @Nullable Rejection rejection() {
        return rejection;
    }

    /** Whether the call holds permits, so that closing makes a difference. */
    public boolean isHolding() {
        return lease != null || shadowLease != null;
    }

    /** Releases the permits, and waits for that if the limit is enforced. Throws nothing. */
    @Override
    public void close() {
        closeShadow();
        if (lease != null) {
            lease.close();
        }
    }

    /** As {@link #close()}, without blocking the calling thread. The future does not fail. */
    public CompletableFuture<@Nullable Void> closeAsync() {
        closeShadow();
        return lease == null ? CLOSED : lease.closeAsync().thenApply(closed -> null);
    }

    /** Does not wait, because the limit is in shadow mode. */
    private void closeShadow() {
        if (shadowLease != null && !shadowLease.cancel(false)) {
            shadowLease.thenAccept(Lease::closeAsync);
        }
    }
}
