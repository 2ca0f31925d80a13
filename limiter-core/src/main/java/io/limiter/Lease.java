package io.limiter;

import java.util.concurrent.CompletableFuture;

/**
 * Permits that are held, until this is closed or lost: what a {@link ConcurrencyLimiter} hands out. There is one only if
 * the permits were granted. Prefetched permits are something else: they are spent, these are held and come back.
 *
 * <pre>{@code
 * Optional<Lease> lease = reports.tryAcquire(customer);
 * if (lease.isEmpty()) {
 *     return busy();
 * }
 * try (Lease held = lease.get()) {
 *     return write(report);
 * }
 * }</pre>
 *
 * <p>It is renewed in the background for as long as it is not closed. It is <em>lost</em> if that cannot be done in time:
 * the process stood still, or the backend was away, for longer than the limit's {@code leaseTime}. Then the permits are
 * anybody's, and work that goes on is one too many; {@link #isHeld()} tells, and {@link #onLost} says it. One that is forgotten
 * is renewed until its factory is closed or its JVM ends.
 *
 * <p>Safe for use by many threads.
 */
public interface Lease extends AutoCloseable {

    /**
     * Whether the permits are still held: not closed, and not lost. Costs no call. Never true for longer than the backend
     * counts the permits as held, as long as its clock and this machine's go equally fast: it counts from when the last
     * renewal was <em>sent</em>.
     */
    boolean isHeld();

    /**
     * Runs the action when the lease is found to be lost; at once if it was already. Not after it was closed. Found within
     * a twelfth of the limit's {@code leaseTime}, or when a process goes on that stood still.
     *
     * @param action short: it runs on the thread that watches over all leases
     */
    void onLost(Runnable action);

    /**
     * Gives the permits back. Does so once, however often it is called. Throws nothing: if the backend does not answer,
     * that is logged, and the permits come back by themselves after the limit's {@code leaseTime}.
     */
    @Override
    void close();

    /**
     * As {@link #close()}, without blocking the calling thread.
     *
     * @return completed when the permits are back, or when that has failed and was logged; at once if it was closed before
     */
    CompletableFuture<Void> closeAsync();
}
