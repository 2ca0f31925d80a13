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
 * <p>Each limit is cancelled or settled once: a set whose {@linkplain #parts() parts} are settled one by one cancels only the
 * others. Safe for use by many threads.
 */
public interface SetReservation {

    /** The whole decision. */
    SetDecision decision();

    /** The reservations of the limits, in the order of the set; none if one of them rejected, because then none took anything. */
    List<Reservation> parts();

    /** Whether all limits granted, so that the permits are taken. */
    default boolean isGranted() {
        return decision().isGranted();
    }

    /** The time from the reservation until all permits may be used; for a rejection, the wait it would have taken. */
    default Duration timeToWait() {
        return decision().timeToWait();
    }

    /**
     * Cancels the reservations of all limits; see {@link Reservation#cancel()}.
     *
     * @return whether all of them were cancelled
     * @throws LimiterBackendException as {@link Reservation#cancel()}; other limits may be cancelled
     */
    boolean cancel();

    /** As {@link #cancel()}, without blocking the calling thread. Completing the future does not stop it. */
    CompletableFuture<Boolean> cancelAsync();

    /**
     * Settles the reservations of all limits; see {@link Reservation#settle}.
     *
     * @param actual how many permits of each limit were used, in the order of the set
     * @return whether all of them were settled, so that as many permits of each limit are charged now as were used
     * @throws IllegalArgumentException if there is not one number of at least 0 for each limit; nothing is settled
     * @throws LimiterBackendException as {@link Reservation#settle}; other limits may be settled
     */
    boolean settle(long... actual);

    /** As {@link #settle}, without blocking the calling thread. Completing the future does not stop it. */
    CompletableFuture<Boolean> settleAsync(long... actual);
}
