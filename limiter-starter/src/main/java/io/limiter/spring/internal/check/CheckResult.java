package io.limiter.spring.internal.check;

import io.limiter.Lease;
import io.limiter.internal.backend.AsyncFailures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check: a rejection, or a grant that is closed when the call is done. Closing it releases the concurrency
 * permits that the call holds, and settles others at what its outcome charges, once. Safe for use by many threads.
 */
public final class CheckResult {

    static final CompletableFuture<@Nullable Void> CLOSED = CompletableFuture.completedFuture(null);
    private static final CheckResult GRANTED = new CheckResult(null, null, null, List.of());

    private final @Nullable Rejection rejection;
    private final @Nullable Lease lease;
    private final @Nullable Runnable shadowRelease;
    private final List<Function<CallOutcome, CompletableFuture<@Nullable Void>>> settlements;

    private CheckResult(
            @Nullable Rejection rejection,
            @Nullable Lease lease,
            @Nullable Runnable shadowRelease,
            List<Function<CallOutcome, CompletableFuture<@Nullable Void>>> settlements) {
        this.rejection = rejection;
        this.lease = lease;
        this.shadowRelease = shadowRelease;
        this.settlements = settlements;
    }

    static CheckResult rejected(Rejection rejection) {
        return new CheckResult(rejection, null, null, List.of());
    }

    /**
     * @param lease {@code null} if the call holds none
     * @param shadowRelease releases permits of a concurrency limit in shadow mode; {@code null} if there is none
     * @param settlements each settles permits at an outcome, and does not fail
     */
    static CheckResult granted(
            @Nullable Lease lease,
            @Nullable Runnable shadowRelease,
            List<Function<CallOutcome, CompletableFuture<@Nullable Void>>> settlements) {
        return lease == null && shadowRelease == null && settlements.isEmpty()
                ? GRANTED
                : new CheckResult(null, lease, shadowRelease, settlements);
    }

    /** {@code null} if the call can proceed. */
    public @Nullable Rejection rejection() {
        return rejection;
    }

    /** Whether the call holds permits of a concurrency limit. */
    public boolean isHolding() {
        return lease != null || shadowRelease != null;
    }

    /** Whether closing makes a difference. */
    public boolean isOpen() {
        return isHolding() || !settlements.isEmpty();
    }

    /**
     * Releases and settles the permits, and waits for that where the limit is enforced. Throws nothing.
     *
     * @param outcome of the call; {@code null} if it was not made, or how it ended is unknown: then it stays charged
     */
    public void close(@Nullable CallOutcome outcome) {
        CompletableFuture<@Nullable Void> settled = closeOthers(outcome);
        if (lease != null) {
            lease.close();
        }
        AsyncFailures.join(settled);
    }

    /** As {@link #close}, without blocking the calling thread. The future does not fail. */
    public CompletableFuture<@Nullable Void> closeAsync(@Nullable CallOutcome outcome) {
        CompletableFuture<@Nullable Void> settled = closeOthers(outcome);
        return lease == null ? settled : CompletableFuture.allOf(settled, lease.closeAsync());
    }

    private CompletableFuture<@Nullable Void> closeOthers(@Nullable CallOutcome outcome) {
        if (shadowRelease != null) {
            shadowRelease.run();
        }
        return outcome == null || settlements.isEmpty()
                ? CLOSED
                : CompletableFuture.allOf(
                        settlements.stream().map(each -> each.apply(outcome)).toArray(CompletableFuture[]::new));
    }
}
