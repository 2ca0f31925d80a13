package io.limiter;

import java.util.concurrent.CompletableFuture;

/**
 * Permits of a {@link ConcurrencyLimiter} that are held until this lease is closed or lost.
 *
 * <p>A lease exists only if the permits were granted.
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
 * <p>It is renewed in the background until it is closed. It is <em>lost</em> if it cannot be renewed in time, because the process was paused
 * or the backend was unavailable for longer than the limit's {@code leaseTime}. Then others can acquire its permits, so if its work
 * continues, the limit is exceeded. {@link #isHeld()} and {@link #onLost} report the loss. A lease that is never closed is renewed until its
 * factory is closed or its JVM ends.
 *
 * <p>Safe for use by many threads.
 */
public interface Lease extends AutoCloseable {

    /**
     * Whether the permits are still held, because the lease is neither closed nor lost. Makes no call.
     *
     * <p>It is never true for longer than the backend counts the permits as held, as long as both clocks run equally fast, because the
     * lease time is counted from the moment at which the last renewal was <em>sent</em>.
     */
    boolean isHeld();

    /**
     * Runs the action when the lease is lost, immediately if it is lost already, and never after it was closed. A loss is noticed within a
     * twelfth of the limit's {@code leaseTime}, or when a paused process continues.
     *
     * @param action must be short, because it runs on the thread that watches all leases
     */
    void onLost(Runnable action);

    /**
     * Releases the permits. Further calls do nothing. It never throws: if the backend fails, that is logged, and the permits are released
     * after the limit's {@code leaseTime}.
     */
    @Override
    void close();

    /**
     * As {@link #close()}, without blocking the calling thread.
     *
     * @return completed when the permits are released, or when that has failed and was logged
     */
    CompletableFuture<Void> closeAsync();
}
