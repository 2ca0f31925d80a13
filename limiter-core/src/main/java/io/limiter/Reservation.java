package io.limiter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Permits that were taken, and the time until they may be used: the result of {@link Limiter#reserve(long)} and
 * {@link RateLimiter#reserve(long, Duration)}, which do not wait. They are returned or settled once it is known how many were used.
 *
 * <pre>{@code
 * Reservation reservation = limiter.reserve(5, Duration.ofMinutes(1));
 * if (!reservation.isGranted()) {
 *     return;                                          // it would take longer than a minute
 * }
 * scheduler.schedule(work, reservation.timeToWait());  // or, if the work is dropped:
 * reservation.cancel();
 * }</pre>
 *
 * <p>Where the cost is known only afterwards, reserve an estimate and settle it:
 *
 * <pre>{@code
 * Reservation reservation = tokensPerMinute.reserve(estimate);
 * if (reservation.isGranted()) {
 *     reservation.settle(model.complete(prompt).usage().total());
 * }
 * }</pre>
 *
 * <p>Meanwhile others see all reserved permits as taken, so parallel callers cannot exceed the limit. A caller that dies before
 * it settles or cancels stays charged for what it reserved.
 *
 * <p>A reservation is cancelled or settled once: of all calls of {@link #cancel} and {@link #settle}, the first one acts. Safe for
 * use by many threads.
 */
public interface Reservation {

    /** The whole decision. */
    Decision decision();

    /** Whether the permits were reserved. */
    default boolean isGranted() {
        return decision().isGranted();
    }

    /** The time from the reservation until the permits may be used; for a rejection, the wait it would have taken. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Cancels the reservation and returns its permits, for work that is not done.
     *
     * <p>Works only until the limit would be full again anyway. Windows, logs and counters get exactly the permits back that they
     * granted, as far as these still count; those of a window that has ended do not.
     *
     * <p>Of a bucket, later reservations keep their times. All permits of the last reservation are returned at once. Of an earlier one of a
     * bucket, as many are returned at once as fit into the capacity beside those that were reserved after it: of ten permits
     * after which one was reserved, nine at a capacity of 10, and all at a capacity of 1,000. The others are returned once all
     * reservations since the first cancelled one are cancelled; then, in any order and of any sizes, it is as if they had never
     * been made. If one of them is used instead, the others are lost. A limit that warms up returns nothing of an earlier one
     * at once. So no cancellation lets more permits come due than the limit allows.
     *
     * <p>Nothing is cancelled in these cases:
     *
     * <ul>
     *   <li>The permits were rejected, or they were cancelled or settled before.
     *   <li>They were granted without being taken, by the failure policy or because the key was exempt.
     *   <li>The limit has them back anyway, for example because their window has ended.
     *   <li>The backend failed, and the failure policy is not {@code throw}. Then they are lost.
     * </ul>
     *
     * @return whether the backend has cancelled them, or the local fallback if that granted them
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

    /**
     * Settles the reservation at the number of permits that were used.
     *
     * <p>If fewer were used than were reserved, the others are returned as by {@link #cancel()}, as if only as many had been reserved as
     * were used. Of permits of a bucket that came due later, those that were used count as reserved after them. If more were used, they
     * are charged as by {@link Limiter#charge}, whether they are available or not: later requests wait or are rejected until the debt is
     * paid, and a token bucket goes into debt by its {@code maxWait} at most.
     *
     * <p>Nothing is settled, and the reservation stays charged as it is, in these cases:
     *
     * <ul>
     *   <li>The permits were rejected, or they were cancelled or settled before.
     *   <li>They were granted without being taken, by the failure policy or because the key was exempt.
     *   <li>Fewer were used, and the limit has the others back anyway, for example because their window has ended.
     *   <li>More were used, and a live limit exempts or bans the key by now.
     *   <li>The backend failed, and the failure policy is not {@code throw}.
     * </ul>
     *
     * @param actual how many permits were used, at least 0
     * @return whether as many permits are charged now as were used
     * @throws LimiterBackendException if the backend failed and the failure policy is {@code throw}; it may have been settled,
     *     and another call does not try again
     */
    boolean settle(long actual);

    /**
     * As {@link #settle}, without blocking the calling thread. Completing the future does not stop it.
     *
     * @return as of {@link #settle}; fails with {@link LimiterBackendException}
     */
    CompletableFuture<Boolean> settleAsync(long actual);
}
