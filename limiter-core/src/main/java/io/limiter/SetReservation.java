package io.limiter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Permits of all limits of a set: the result of {@link LimitSet#reserve}, which does not wait.
 *
 * <pre>{@code
 * LimitSet set = LimitSet.of(requestsPerMinute.on(model)).and(tokensPerMinute.on(model), estimate);
 * SetReservation reservation = set.reserve(1);
 * if (reservation.isGranted()) {
 *     reservation.settle(1, complete(prompt).usage().total());
 * }
 * }</pre>
 *
 * <p>Each limit is cancelled or settled only once, so a set of which some {@linkplain #parts() parts} have been settled cancels only the others.
 * Safe for use by many threads.
 */
public interface SetReservation {

    /** The whole decision. */
    SetDecision decision();

    /** The reservations of the limits, in the order of the set. Empty if a limit rejected, because then no permits were taken. */
    List<Reservation> parts();

    /** Whether all limits granted, so that the permits are taken. */
    default boolean isGranted() {
        return decision().isGranted();
    }

    /** The time from the reservation until all permits may be used. For a rejection, it is the wait that would have been necessary. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Cancels the reservations of all limits. See {@link Reservation#cancel()}.
     *
     * @return whether all of them were cancelled
     * @throws LimiterBackendException as in {@link Reservation#cancel()}. Other limits may have been cancelled
     */
    boolean cancel();

    /** As {@link #cancel()}, without blocking the calling thread. Completing the future does not stop it. */
    CompletableFuture<Boolean> cancelAsync();

    /**
     * Settles the reservations of all limits. See {@link Reservation#settle}.
     *
     * @param actual how many permits of each limit were used, in the order of the set
     * @return whether all of them were settled, so that exactly the used permits of each limit are charged now
     * @throws IllegalArgumentException if there is not one number of at least 0 for each limit. Then nothing is settled
     * @throws LimiterBackendException as in {@link Reservation#settle}. Other limits may have been settled
     */
    boolean settle(long... actual);

    /** As {@link #settle}, without blocking the calling thread. Completing the future does not stop it. */
    CompletableFuture<Boolean> settleAsync(long... actual);
}
