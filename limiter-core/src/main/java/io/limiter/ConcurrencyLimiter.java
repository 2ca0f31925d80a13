package io.limiter;

import io.limiter.algorithm.ConcurrencyLimit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Limits how many permits are held at the same time: a semaphore for a whole fleet.
 *
 * <p>Permits of a holder that crashed are released after the lease time. See {@link ConcurrencyLimit} for the guarantees and
 * {@link Lease} for the duties of a holder.
 *
 * <table>
 * <caption>Behaviour while all permits are held</caption>
 * <tr><td>{@code tryAcquire()}</td><td>returns an empty {@code Optional} immediately</td></tr>
 * <tr><td>{@code acquire()}</td><td>throws immediately</td></tr>
 * <tr><td>{@code tryAcquire(timeout)}</td><td>waits for at most that long, then returns an empty {@code Optional}</td></tr>
 * <tr><td>{@code acquire(timeout)}</td><td>waits for at most that long, then throws</td></tr>
 * <tr><td>{@code async()}</td><td>has the same methods, which return futures, so that no thread waits</td></tr>
 * </table>
 *
 * <p>Within a JVM, the waiting requests for a key are served in order, so a request without a timeout is rejected while others wait. A
 * release in the same JVM wakes the first one immediately. Releases in other JVMs are found by polling, with one call for each key, however
 * many requests wait for it. It polls when the next lease ends, or after 16 ms, 32 ms, and so on up to 250 ms. JVMs take turns in the order in
 * which they began to wait. Nothing bounds the number of waiting requests except their callers and timeouts.
 *
 * <p>A timeout bounds the wait for permits, and the time that a slow backend takes to answer is added to it. An interrupt does not end a wait.
 * The interrupt flag is set again at the end of the wait. If a caller completes its future, for example with {@code cancel} or
 * {@code orTimeout}, the future no longer waits. If a request in flight then gets a lease, the lease is released immediately.
 *
 * <p>{@link #on} returns a view of one key, which has separate permits, and {@link #async} returns a view whose methods return futures, as
 * for a {@link Limiter}. {@link #tryAcquire(String)} and {@link #acquire(String)} save the view. Safe for use by many threads. All methods
 * throw {@link IllegalArgumentException} if permits are less than 1 or a key is blank.
 *
 * <p>If the backend does not decide, the {@link FailurePolicy} does. With {@code LOCAL}, this JVM grants leases under its share of the limit.
 * With {@code OWNER}, only the JVM that owns the key does. {@code ALLOW} grants leases that do not count, and {@code DENY} grants none. With
 * {@code THROW}, methods throw {@link LimiterBackendException} and futures fail with it. A lease that was taken from the backend stays there.
 */
public interface ConcurrencyLimiter {

    /**
     * The name under which the permits are shared. For a {@linkplain LimiterOptions#withPlan plan}, it is that of
     * {@link LimiterTotals#planName}.
     */
    String name();

    /** The key path of this view, as {@link Limiter#keys()}. Empty for the limiter itself. */
    List<String> keys();

    /** The limit definition in effect: as built, or as a live limit changes it. */
    ConcurrencyLimit limit();

    /**
     * The permits of one key of this limiter.
     *
     * @return a view of the key, or of both keys if this is a view itself
     */
    ConcurrencyLimiter on(String key);

    /** A view of the same permits whose methods return futures. */
    Async async();

    /**
     * Takes permits that become available within the timeout, waiting for them.
     *
     * @param permits how many this lease holds, at least 1
     * @param timeout how long to wait at most. Zero or a negative timeout means not to wait
     * @return empty if rejected
     */
    Optional<Lease> tryAcquire(long permits, Duration timeout);

    /**
     * As {@link #tryAcquire(long, Duration)}, for callers that cannot continue without permits.
     *
     * @throws RateLimitExceededException if rejected, with a retry-after that says when leases end
     */
    Lease acquire(long permits, Duration timeout);

    /** Returns whether a permit is available now, and how many remain. Takes none. */
    Decision peek();

    /**
     * Deletes all leases of these permits, for example if crashed holders have long leases. Waits for the backend.
     *
     * <p>Leases of this JVM are lost immediately, and those of others when they are next renewed. Until then, more permits may be held than
     * the limit allows.
     */
    void reset();

    /**
     * The number of permits held now in the whole fleet. After the limit was lowered, it can exceed the limit.
     *
     * <p>If the backend is unavailable, it is the number held in this JVM, except under the failure policy {@code THROW}.
     */
    long inUse();

    /** Takes one permit if it is available now. */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(1, Duration.ZERO);
    }

    /** Takes one permit that becomes available within the timeout, waiting for it. */
    default Optional<Lease> tryAcquire(Duration timeout) {
        return tryAcquire(1, timeout);
    }

    /** As {@link #tryAcquire()}, but throws {@link RateLimitExceededException} if the permit is rejected. */
    default Lease acquire() {
        return acquire(1, Duration.ZERO);
    }

    /** As {@link #tryAcquire(Duration)}, but throws {@link RateLimitExceededException} if the permit is rejected. */
    default Lease acquire(Duration timeout) {
        return acquire(1, timeout);
    }

    /** {@code on(key).tryAcquire()}. */
    default Optional<Lease> tryAcquire(String key) {
        return on(key).tryAcquire();
    }

    /** {@code on(key).acquire()}. */
    default Lease acquire(String key) {
        return on(key).acquire();
    }

    /**
     * The methods of a concurrency limiter for callers whose thread must not block.
     *
     * <p>Completing a future of {@link #peek}, {@link #inUse} or {@link #reset} does not stop it.
     */
    interface Async {

        /** As {@link ConcurrencyLimiter#on}. */
        Async on(String key);

        /** As {@link ConcurrencyLimiter#tryAcquire(long, Duration)}. */
        CompletableFuture<Optional<Lease>> tryAcquire(long permits, Duration timeout);

        /**
         * As {@link ConcurrencyLimiter#acquire(long, Duration)}.
         *
         * @return fails with {@link RateLimitExceededException} if rejected
         */
        CompletableFuture<Lease> acquire(long permits, Duration timeout);

        /** As {@link ConcurrencyLimiter#peek()}. */
        CompletableFuture<Decision> peek();

        /** As {@link ConcurrencyLimiter#inUse()}. */
        CompletableFuture<Long> inUse();

        /** As {@link ConcurrencyLimiter#reset()}. Dependent stages run on no thread of the limiter. */
        CompletableFuture<Void> reset();

        /** As {@link ConcurrencyLimiter#tryAcquire()}. */
        default CompletableFuture<Optional<Lease>> tryAcquire() {
            return tryAcquire(1, Duration.ZERO);
        }

        /** As {@link ConcurrencyLimiter#tryAcquire(Duration)}. */
        default CompletableFuture<Optional<Lease>> tryAcquire(Duration timeout) {
            return tryAcquire(1, timeout);
        }

        /** As {@link ConcurrencyLimiter#acquire()}. */
        default CompletableFuture<Lease> acquire() {
            return acquire(1, Duration.ZERO);
        }

        /** As {@link ConcurrencyLimiter#acquire(Duration)}. */
        default CompletableFuture<Lease> acquire(Duration timeout) {
            return acquire(1, timeout);
        }

        /** {@code on(key).tryAcquire()}. */
        default CompletableFuture<Optional<Lease>> tryAcquire(String key) {
            return on(key).tryAcquire();
        }

        /** {@code on(key).acquire()}. */
        default CompletableFuture<Lease> acquire(String key) {
            return on(key).acquire();
        }
    }
}
