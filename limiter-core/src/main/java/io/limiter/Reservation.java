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
     * <p>Later reservations keep their times. All permits of the last reservation are returned at once. Of an earlier one of a
     * bucket, as many are returned at once as fit into the capacity beside those that were reserved after it: of ten permits
     * after which one was reserved, nine at a capacity of 10, and all at a capacity of 1,000. The others are returned once all
     * reservations since the first cancelled one are cancelled; then, in any order and of any sizes, it is as if they had never
     * been made. If one of them is used instead, the others are lost. A limit that warms up returns nothing of an earlier one
     * at once. So no cancellation lets more permits come due than the limit allows.
     *
     * @return whether the backend executed the cancellation; false if the permits were rejected, cancelled before, would be there
     *     anyway, were granted by the failure policy, or are lost because the backend failed
     * @throws LimiterBackendException if the backend failed and the failure policy is {@code throw}; the permits may have been
     *     returned, and another call does not try again
     */
    boolean cancel();

    /**
     * As {@link #cancel()}, without blocking the calling thread. Completing the future does not stop it.
     *
     * @return as of {@link #cancel()}; fails with {@link LimiterBackendException}
     */
    CompletableFuture<Boolean> cancelAsync();
}
