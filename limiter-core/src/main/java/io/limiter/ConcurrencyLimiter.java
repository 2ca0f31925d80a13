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
 * <tr><td>{@code tryAcquire()}</td><td>returns an empty {@code Optional} at once</td></tr>
 * <tr><td>{@code acquire()}</td><td>throws at once</td></tr>
 * <tr><td>{@code tryAcquire(timeout)}</td><td>waits for at most that long, then returns an empty one</td></tr>
 * <tr><td>{@code acquire(timeout)}</td><td>waits for at most that long, then throws</td></tr>
 * <tr><td>{@code async()}</td><td>has all of these, which return futures; no thread waits</td></tr>
 * </table>
 *
 * <p>Within a JVM, the waiting requests for a key are served in order: while others wait, a request without a timeout is
 * rejected. A release in the same JVM wakes the first one at once. Releases in other JVMs are found by polling: one call for each
 * key, however many requests wait for it, when the next lease ends or after 16 ms, 32 ms, and so on up to a second. Between JVMs
 * there is no order. The number of waiting requests is not bounded but by their callers and timeouts.
 *
 * <p>A timeout bounds the wait for permits; the answer of a backend that is slow comes on top. An interrupt does not end a
 * wait, but is set again at its end. A future that its caller completes, for example by {@code cancel} or {@code orTimeout}, no
 * longer waits; a lease that is granted to it by a request under way is released at once.
 *
 * <p>{@link #on} returns a view of one key with permits of its own, {@link #async} one whose methods return futures, as for a
 * {@link Limiter}. {@link #tryAcquire(String)} and {@link #acquire(String)} save the view. Safe for use by many threads. All methods
 * throw {@link IllegalArgumentException} if permits are less than 1 or a key is blank. If the backend does not decide, the {@link FailurePolicy} does: {@code LOCAL} grants leases in
 * this JVM, under its share of the limit, and under {@code OWNER} only the one that owns the key does; {@code ALLOW} grants leases that do not count; {@code DENY} grants none; with
 * {@code THROW} methods throw {@link LimiterBackendException} and futures fail with it. A lease that was taken from the
 * backend stays there.
 */
public interface ConcurrencyLimiter {

    /**
     * The name under which the permits are shared; of a {@linkplain LimiterOptions#withPlan plan},
     * {@link LimiterTotals#planName}.
     */
    String name();

    /** The key path of this view, as {@link Limiter#keys()}; none for the limiter itself. */
    List<String> keys();

    /** The limit definition in effect: as built, or as a live limit changes it. */
    ConcurrencyLimit limit();

    /**
     * The permits of one key of this limiter.
     *
     * @return a view; of a view, that of both keys
     */
    ConcurrencyLimiter on(String key);

    /** The same permits by methods that return futures. */
    Async async();

    /**
     * Takes permits that become available within the timeout, waiting for them.
     *
     * @param permits how many this lease holds, at least 1
     * @param timeout how long to wait at most; zero or a negative one for not at all
     * @return empty if rejected
     */
    Optional<Lease> tryAcquire(long permits, Duration timeout);

    /**
     * As {@link #tryAcquire(long, Duration)}, for callers that cannot continue without permits.
     *
     * @throws RateLimitExceededException if rejected; its retry-after is when leases end
     */
    Lease acquire(long permits, Duration timeout);

    /** Returns whether a permit is available now, and how many remain. Takes none. */
    Decision peek();

    /**
     * Deletes all leases of these permits, for example if crashed holders have long leases. Waits for the backend.
     *
     * <p>Leases of this JVM are lost at once, those of others when they are next renewed. Until then, more permits may be held
     * than the limit allows.
     */
    void reset();

    /**
     * The number of permits held now in the whole fleet. After the limit was lowered, it can exceed the limit.
     *
     * <p>If the backend is unavailable, the number held in this JVM, under all failure policies but {@code THROW}.
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
