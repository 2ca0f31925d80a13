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
 * <tr><td>the {@code ...Async} methods</td><td>the same, by a future, with no thread that waits</td></tr>
 * </table>
 *
 * <p>Those who wait for a key in one JVM are served in the order in which they came, and nobody passes them: who does not
 * want to wait is refused while others do. A release in the same JVM wakes the first at once. Of releases elsewhere the
 * JVM learns by asking: one call for each key, however many wait for it, when the next lease is over or after 16 ms, 32 ms,
 * and so on up to a second. Between JVMs there is no order.
 *
 * <p>A timeout bounds the wait for permits; the answer of a backend that is slow comes on top. An interrupt does not end a
 * wait, but is set again at its end. Cancelling a future ends its wait.
 *
 * <p>Safe for use by many threads. All methods throw {@link IllegalArgumentException} if permits are less than 1, a key is
 * blank or a timeout negative. If the backend does not decide, the {@link FailurePolicy} does: {@code LOCAL} holds places in
 * this JVM, under its share of the limit; {@code ALLOW} gives a lease that nobody counts; {@code DENY} gives none; with
 * {@code THROW} methods throw {@link LimiterBackendException} and futures fail with it. A lease that was taken from the
 * backend stays there.
 */
public interface ConcurrencyLimiter {

    /** The name under which the permits are shared. */
    String name();

    /** What is allowed. */
    ConcurrencyLimit limit();

    /**
     * Takes the permits of the name itself.
     *
     * @param permits how many this holder counts for, at least 1
     * @param timeout how long to wait; 0 not to
     */
    Optional<Lease> tryAcquire(int permits, Duration timeout);

    /** As {@link #tryAcquire(int, Duration)}, of one key. */
    Optional<Lease> tryAcquire(String key, int permits, Duration timeout);

    /** As {@link #tryAcquire(int, Duration)}, without blocking the calling thread. */
    CompletableFuture<Optional<Lease>> tryAcquireAsync(int permits, Duration timeout);

    /** As {@link #tryAcquireAsync(int, Duration)}, of one key. */
    CompletableFuture<Optional<Lease>> tryAcquireAsync(String key, int permits, Duration timeout);

    /**
     * As {@link #tryAcquire(int, Duration)}, for who can do nothing without.
     *
     * @throws RateLimitExceededException if the permits were not to be had; it says when leases will be over
     */
    Lease acquire(int permits, Duration timeout);

    /** As {@link #acquire(int, Duration)}, of one key. */
    Lease acquire(String key, int permits, Duration timeout);

    /**
     * As {@link #acquire(int, Duration)}, without blocking the calling thread.
     *
     * @return fails with {@link RateLimitExceededException} if the permits were not to be had
     */
    CompletableFuture<Lease> acquireAsync(int permits, Duration timeout);

    /** As {@link #acquireAsync(int, Duration)}, of one key. */
    CompletableFuture<Lease> acquireAsync(String key, int permits, Duration timeout);

    /** Whether a permit could be had now, and how many; takes none. */
    Decision peek();

    /** As {@link #peek()}, of one key. */
    Decision peek(String key);

    /**
     * Forgets who holds the limiter's own permits, so that all can be had again: for an operator, if holders that are gone
     * for good have long leases. Prefetch of this JVM are lost at once, those of others when they are next renewed; until
     * then, more permits may be held than the limit allows. Waits for the backend.
     */
    void reset();

    /** As {@link #reset()}, for one key. */
    void reset(String key);

    /**
     * How many permits are held now, in the whole fleet: more than the limit, after it was lowered, until enough are released.
     * If the backend does not answer, those that are held in this JVM, whatever the failure policy is but {@code THROW}.
     */
    int inUse();

    /** As {@link #inUse()}, of one key. */
    int inUse(String key);

    /** Takes one permit if it is there now. */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(1, Duration.ZERO);
    }

    /** Takes one permit if it is there within this time. */
    default Optional<Lease> tryAcquire(Duration timeout) {
        return tryAcquire(1, timeout);
    }

    /** Takes one permit of the key if it is there now. */
    default Optional<Lease> tryAcquire(String key) {
        return tryAcquire(key, 1, Duration.ZERO);
    }

    /** Takes one permit of the key if it is there within this time. */
    default Optional<Lease> tryAcquire(String key, Duration timeout) {
        return tryAcquire(key, 1, timeout);
    }

    /** As {@link #tryAcquire()}, without blocking the calling thread. */
    default CompletableFuture<Optional<Lease>> tryAcquireAsync() {
        return tryAcquireAsync(1, Duration.ZERO);
    }

    /** As {@link #tryAcquire(Duration)}, without blocking the calling thread. */
    default CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration timeout) {
        return tryAcquireAsync(1, timeout);
    }

    /** As {@link #tryAcquire(String)}, without blocking the calling thread. */
    default CompletableFuture<Optional<Lease>> tryAcquireAsync(String key) {
        return tryAcquireAsync(key, 1, Duration.ZERO);
    }

    /** As {@link #tryAcquire(String, Duration)}, without blocking the calling thread. */
    default CompletableFuture<Optional<Lease>> tryAcquireAsync(String key, Duration timeout) {
        return tryAcquireAsync(key, 1, timeout);
    }
}
