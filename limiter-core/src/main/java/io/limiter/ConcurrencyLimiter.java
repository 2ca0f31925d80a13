package io.limiter;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Limits how much goes on at the same time: a semaphore for a whole fleet, whose permits come back even from a holder that
 * crashed. See {@link ConcurrencyLimit} for what it guarantees and {@link Lease} for what a holder has to know.
 *
 * <table>
 * <caption>What happens while all permits are held</caption>
 * <tr><td>{@code tryAcquire()}</td><td>returns an empty {@code Optional}</td></tr>
 * <tr><td>{@code tryAcquire(timeout)}</td><td>waits for at most that long, then returns an empty one</td></tr>
 * <tr><td>{@code acquire(timeout)}</td><td>waits for at most that long, then throws</td></tr>
 * <tr><td>{@code async()}</td><td>has the same methods, which return futures; no thread waits</td></tr>
 * </table>
 *
 * <p>Those who wait for a key in one JVM are served in the order in which they came, and nobody passes them: a request
 * that does not wait is rejected while others wait. A release in the same JVM wakes the first at once. Of releases elsewhere the
 * JVM learns by asking: one call for each key, however many wait for it, when the next lease is over or after 16 ms, 32 ms,
 * and so on up to a second. Between JVMs there is no order.
 *
 * <p>A timeout bounds the wait for permits; the answer of a backend that is slow comes on top. An interrupt does not end a
 * wait, but is set again at its end. Cancelling a future ends its wait.
 *
 * <p>{@link #on} returns a view of one key with places of its own, {@link #async} one whose methods return futures, as for a
 * {@link Limiter}. Safe for use by many threads. All methods throw {@link IllegalArgumentException} if permits are less than 1, a key is
 * blank or a timeout negative. If the backend does not decide, the {@link FailurePolicy} does: {@code LOCAL} holds places in
 * this JVM, under its share of the limit; {@code ALLOW} gives a lease that nobody counts; {@code DENY} gives none; with
 * {@code THROW} methods throw {@link LimiterBackendException} and futures fail with it. A lease that was taken from the
 * backend stays there.
 */
public interface ConcurrencyLimiter {

    /** The name under which the permits are shared. */
    String name();

    /** The key of this view, as {@link Limiter#key()}; empty for the limiter itself. */
    Optional<String> key();

    /** The limit definition. */
    ConcurrencyLimit limit();

    /**
     * The permits of one key of this limiter.
     *
     * @return a view; of a view, that of both keys
     */
    ConcurrencyLimiter on(String key);

    /** The same permits by methods that do not block the calling thread. */
    Async async();

    /**
     * Takes permits if they are there within the timeout, waiting for them.
     *
     * @param permits how many this holder counts for, at least 1
     * @param timeout how long to wait; 0 not to
     * @return empty if rejected
     */
    Optional<Lease> tryAcquire(int permits, Duration timeout);

    /**
     * As {@link #tryAcquire(int, Duration)}, for callers that cannot go on without.
     *
     * @throws RateLimitExceededException if rejected; it says when leases will be over
     */
    Lease acquire(int permits, Duration timeout);

    /** Says whether a permit is there now, and how many remain. Takes none. */
    Decision peek();

    /**
     * Forgets who holds these permits, so that all can be taken again: for an operator, if holders that are gone
     * for good have long leases. Leases of this JVM are lost at once, those of others when they are next renewed; until
     * then, more permits may be held than the limit allows. Waits for the backend.
     */
    void reset();

    /**
     * How many permits are held now, in the whole fleet: more than the limit, after it was lowered, until enough are released.
     * If the backend does not answer, those that are held in this JVM, whatever the failure policy is but {@code THROW}.
     */
    int inUse();

    /** Takes one permit if it is there now. */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(1, Duration.ZERO);
    }

    /** Takes one permit if it is there within the timeout, waiting for it. */
    default Optional<Lease> tryAcquire(Duration timeout) {
        return tryAcquire(1, timeout);
    }

    /** {@code on(key).tryAcquire()}. */
    default Optional<Lease> tryAcquire(String key) {
        return on(key).tryAcquire();
    }

    /** {@code on(key).tryAcquire(timeout)}. */
    default Optional<Lease> tryAcquire(String key, Duration timeout) {
        return on(key).tryAcquire(timeout);
    }

    /** The methods of a concurrency limiter for callers whose thread must not block. */
    interface Async {

        /** As {@link ConcurrencyLimiter#on}. */
        Async on(String key);

        /** As {@link ConcurrencyLimiter#tryAcquire(int, Duration)}. */
        CompletableFuture<Optional<Lease>> tryAcquire(int permits, Duration timeout);

        /**
         * As {@link ConcurrencyLimiter#acquire(int, Duration)}.
         *
         * @return fails with {@link RateLimitExceededException} if rejected
         */
        CompletableFuture<Lease> acquire(int permits, Duration timeout);

        /** As {@link ConcurrencyLimiter#tryAcquire()}. */
        default CompletableFuture<Optional<Lease>> tryAcquire() {
            return tryAcquire(1, Duration.ZERO);
        }

        /** As {@link ConcurrencyLimiter#tryAcquire(Duration)}. */
        default CompletableFuture<Optional<Lease>> tryAcquire(Duration timeout) {
            return tryAcquire(1, timeout);
        }
    }
}
