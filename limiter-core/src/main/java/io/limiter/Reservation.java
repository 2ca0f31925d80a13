package io.limiter;

import io.limiter.algorithm.Decision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Permits that were booked, and when they may be used: what {@link RateLimiter#reserve(int)} returns instead of waiting.
 *
 * <pre>{@code
 * Reservation reservation = limiter.reserve(5);
 * if (!reservation.isGranted()) {
 *     return;                                          // it would take longer than the limit's maxWait
 * }
 * scheduler.schedule(work, reservation.timeToWait());  // or, if the work is not to be done after all:
 * reservation.cancel();
 * }</pre>
 *
 * <p>Safe for use by many threads.
 */
public interface Reservation {

    /** The whole decision. */
    Decision decision();

    /** Whether the permits were booked. */
    default boolean isGranted() {
        return decision().granted();
    }

    /** How long after the booking the permits may be used; what a rejected one would have had to wait. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Cancels the reservation, for work that is not done. At most once, and only while it makes a difference: not after the
     * time in which the limit would have been as if never used.
     *
     * <p>Reservations that others made meanwhile keep their times, so what was reserved after this one is not restored: others
     * would be due together with it. Of ten permits after which one was reserved, nine come back. If all that is reserved is
     * cancelled, in whatever order, the limit is as if it had never been. This is golang's {@code CancelAt}. Where the next
     * caller waits, nothing comes back in that case of a request for more than the capacity, nor of a limit that warms up. So
     * no cancellation lets more be due than the limit allows.
     *
     * @return whether the permits were given back by this call
     * @throws LimiterBackendException if the backend does not answer; the permits may have been given back, and another
     *     call does not try again
     */
    boolean cancel();

    /**
     * As {@link #cancel()}, without blocking the calling thread.
     *
     * @return whether the permits were given back by this call; fails with {@link LimiterBackendException}
     */
    CompletableFuture<Boolean> cancelAsync();
}
