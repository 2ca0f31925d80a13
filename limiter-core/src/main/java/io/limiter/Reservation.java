package io.limiter;

import io.limiter.algorithm.Decision;
import java.time.Duration;

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

    /** How long after the booking the permits may be used; what a refused one would have had to wait. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Gives the permits back, for work that is not done. At most once, and only while it makes a difference: not after
     * the time in which the limit would have been as if never used. Bookings that others made meanwhile stay as they are;
     * what is given back is there for those who ask next.
     *
     * @return whether the permits were given back by this call
     * @throws LimiterBackendException if the backend does not answer; the permits may have been given back, and another
     *     call does not try again
     */
    boolean cancel();
}
