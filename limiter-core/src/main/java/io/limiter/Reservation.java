package io.limiter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Permits that were taken, and the time until they may be used: the result of {@link Limiter#reserve(long)} and
 * {@link RateLimiter#reserve(long, Duration)}, which do not wait. Cancel or settle it once you know how many permits were used.
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
 * <p>If the cost is known only afterwards, reserve an estimate and settle it:
 *
 * <pre>{@code
 * Reservation reservation = tokensPerMinute.reserve(estimate);
 * if (reservation.isGranted()) {
 *     reservation.settle(model.complete(prompt).usage().total());
 * }
 * }</pre>
 *
 * <p>Until then, other callers see all reserved permits as taken, so parallel callers cannot exceed the limit. A caller that dies before
 * it settles or cancels stays charged for the reserved permits.
 *
 * <p>A reservation is cancelled or settled only once, so only the first call of {@link #cancel} or {@link #settle} has an effect. Safe for
 * use by many threads.
 */
public interface Reservation {

    /** The whole decision. */
    Decision decision();

    /** Whether the permits were reserved. */
    default boolean isGranted() {
        return decision().isGranted();
    }

    /** The time from the reservation until the permits may be used. For a rejection, it is the wait that would have been necessary. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Cancels the reservation and returns its permits, for work that is not done.
     *
     * <p>It works only until the limit would be full again anyway. Windows, logs and counters get back exactly the permits that they granted,
     * unless these no longer count because their window has ended.
     *
     * <p>In a bucket, later reservations keep their times, and no cancellation lets more permits come due than the limit allows. All permits
     * of the last reservation are returned immediately. Of an earlier reservation, only the permits for which the capacity has room next to
     * those that were reserved later are returned immediately. For example, if ten permits are cancelled and one was reserved later, nine are
     * returned at a capacity of 10, and all ten at a capacity of 1,000. A limit that warms up returns none of them immediately. The others
     * are returned once all reservations since the first cancelled one are cancelled. Then, in any order and of any sizes, it is as if they
     * had never been made. If one of those reservations is used instead, the others are lost.
     *
     * <p>Nothing is cancelled in these cases:
     *
     * <ul>
     *   <li>The permits were rejected, or they were cancelled or settled before.
     *   <li>They were granted without being taken, by the failure policy or because the key was exempt.
     *   <li>The limit has got them back anyway, for example because their window has ended.
     *   <li>The backend failed, and the failure policy is not {@code throw}. Then they are lost.
     * </ul>
     *
     * @return whether the backend has cancelled them, or the local fallback if that granted them
     * @throws LimiterBackendException if the backend failed and the failure policy is {@code throw}. The permits may have been
     *     returned, and another call does not try again
     */
    boolean cancel();

    /**
     * As {@link #cancel()}, without blocking the calling thread. Completing the future does not stop it.
     *
     * @return the result of {@link #cancel()}, or a failure with a {@link LimiterBackendException}
     */
    CompletableFuture<Boolean> cancelAsync();

    /**
     * Settles the reservation at the number of permits that were used.
     *
     * <p>If fewer permits were used than were reserved, the others are returned as with {@link #cancel()}, as if only the used ones had been
     * reserved. If a bucket has granted permits that came due later, the used ones count as reserved after them. If more permits were used
     * than were reserved, the difference is charged as with {@link Limiter#charge}, whether it is available or not. Later requests then wait
     * or are rejected until the debt is paid. A token bucket goes into debt by its {@code maxWait} at most.
     *
     * <p>Nothing is settled, and the reservation stays charged as it is, in these cases:
     *
     * <ul>
     *   <li>The permits were rejected, or they were cancelled or settled before.
     *   <li>They were granted without being taken, by the failure policy or because the key was exempt.
     *   <li>Fewer were used, and the limit has got the others back anyway, for example because their window has ended.
     *   <li>More were used, and a live limit exempts or bans the key by now.
     *   <li>The backend failed, and the failure policy is not {@code throw}.
     * </ul>
     *
     * @param actual how many permits were used, at least 0
     * @return whether exactly the used permits are charged now
     * @throws LimiterBackendException if the backend failed and the failure policy is {@code throw}. It may have been settled,
     *     and another call does not try again
     */
    boolean settle(long actual);

    /**
     * As {@link #settle}, without blocking the calling thread. Completing the future does not stop it.
     *
     * @return the result of {@link #settle}, or a failure with a {@link LimiterBackendException}
     */
    CompletableFuture<Boolean> settleAsync(long actual);
}
