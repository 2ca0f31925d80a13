package io.limiter;

import io.limiter.algorithm.Decision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Reserved permits and the time until they may be used: the result of {@link RateLimiter#reserve(int)}, which does not wait.
 *
 * <pre>{@code
 * Reservation reservation = limiter.reserve(5);
 * if (!reservation.isGranted()) {
 *     return;                                          // it would take longer than the limit's maxWait
 * }
 * scheduler.schedule(work, reservation.timeToWait());  // or, if the work is dropped:
 * reservation.cancel();
 * }</pre>
 *
 * <p>Safe for use by many threads.
 */
public interface Reservation {

    /** The whole decision. */
    Decision decision();

    /** Whether the permits were reserved. */
    default boolean isGranted() {
        return decision().granted();
    }

    /** The time from the reservation until the permits may be used; for a rejection, the wait it would have taken. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Cancels the reservation and returns its permits, for work that is not done.
     *
     * <p>Works once, and only until the limit would be full again anyway.
     *
     * <p>As in golang's {@code CancelAt}, later reservations keep their times, so permits that were reserved after these are not
     * returned: otherwise others would come due together with them. For example, of ten permits after which one was reserved,
     * nine are returned. Once all reservations are cancelled, in any order, the limit is as if they had never been made.
     * Nothing is returned to a limit that warms up, nor of a request for more than the capacity where the next caller waits.
     * So no cancellation lets more permits come due than the limit allows.
     *
     * @return whether this call returned the permits
     * @throws LimiterBackendException if the backend failed; the permits may have been returned, and another call does not
     *     try again
     */
    boolean cancel();

    /**
     * As {@link #cancel()}, without blocking the calling thread. Completing the future does not stop it.
     *
     * @return whether this call returned the permits; fails with {@link LimiterBackendException}
     */
    CompletableFuture<Boolean> cancelAsync();
}
