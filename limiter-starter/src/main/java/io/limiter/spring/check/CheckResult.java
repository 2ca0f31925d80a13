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
    private final @Nullable Runnable shadowRelease;

    private CheckResult(@Nullable Rejection rejection, @Nullable Lease lease, @Nullable Runnable shadowRelease) {
        this.rejection = rejection;
        this.lease = lease;
        this.shadowRelease = shadowRelease;
    }

    static CheckResult rejected(Rejection rejection) {
        return new CheckResult(rejection, null, null);
    }

    /**
     * @param lease {@code null} if the call holds none
     * @param shadowRelease releases permits of a concurrency limit in shadow mode; {@code null} if there is none
     */
    static CheckResult granted(@Nullable Lease lease, @Nullable Runnable shadowRelease) {
        return lease == null && shadowRelease == null ? GRANTED : new CheckResult(null, lease, shadowRelease);
    }

    /** {@code null} if the call can proceed. */
    public @Nullable Rejection rejection() {
        return rejection;
    }

    /** Whether the call holds permits, so that closing makes a difference. */
    public boolean isHolding() {
        return lease != null || shadowRelease != null;
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

    private void closeShadow() {
        if (shadowRelease != null) {
            shadowRelease.run();
        }
    }
}
