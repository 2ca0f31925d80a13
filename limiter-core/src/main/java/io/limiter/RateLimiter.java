package io.limiter;

import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Distributes permits at a configurable rate: Guava's {@code RateLimiter}, for every JVM that uses the same name.
 *
 * <table class="striped">
 *   <caption>Behaviour when a permit is not available</caption>
 *   <tr><th>{@code acquire()}</th><td>waits until it is available, at most the limit's {@code maxWait}; throws
 *       {@link RateLimitExceededException} at once if it would take longer</td></tr>
 *   <tr><th>{@code tryAcquire()}</th><td>returns {@code false} at once</td></tr>
 *   <tr><th>{@code tryAcquire(timeout)}</th><td>waits if the permit comes due within the timeout, otherwise returns
 *       {@code false} at once</td></tr>
 *   <tr><th>{@code decide()}, {@code decide(permits, timeout)}</th><td>do the same as {@code tryAcquire}, and return what
 *       remains and when to retry</td></tr>
 *   <tr><th>{@code reserve()}</th><td>takes a permit that is available now as a reservation, which can be cancelled or
 *       settled; {@code reserve(permits, timeout)} also reserves permits that come due within the timeout, and returns when</td></tr>
 *   <tr><th>{@code peek()}</th><td>returns what {@code decide()} would decide, and takes nothing</td></tr>
 *   <tr><th>{@code async()}</th><td>has all of these, which return futures that complete when the others would return</td></tr>
 * </table>
 *
 * <p>A wait is decided before it begins: the permits are taken, and the caller sleeps until they come due, without
 * holding a lock or a connection. As in Guava, an interrupt cuts neither the sleep short nor the wait for the decision:
 * the permits are spent either way. The thread's interrupt flag is set again when the method returns.
 *
 * <p>No caller waits longer than the limit's {@code maxWait}. Timeouts, keys and futures are those of {@link Limiter}.
 */
public interface RateLimiter extends Limiter {

    @Override
    TokenBucket limit();

    @Override
    RateLimiter on(String key);

    @Override
    Async async();

    /** The rate of the {@linkplain #limit limit} in effect, in permits per second. */
    default double getRate() {
        return limit().permitsPerSecond();
    }

    /**
     * Changes the rate of all limiters that its factory has built for this name and prefix, or will build, from their next
     * decisions on; for as long as the factory lives, or until it is set again. Permits stored so far are settled at the old rate
     * and then scaled to the new one; what is reserved stays reserved, within {@code maxWait}.
     *
     * <p>Other factories, such as those in other JVMs, keep their rate until it is set there; for a whole fleet, there are
     * live limits, which outrank it. Setting it on a view sets it for the limiter, with all its keys.
     *
     * @param permitsPerSecond from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000
     * @throws IllegalArgumentException if the rate is out of range, or so low for the limit's burst that no call could
     *     ever be granted
     */
    void setRate(double permitsPerSecond);

    /**
     * Reserves permits that are available now or come due within the timeout, without waiting. The caller uses them after
     * {@link Reservation#timeToWait()}.
     *
     * @param permits at least 1
     * @param timeout how long the caller would wait at most, and no longer than the limit's {@code maxWait}; zero or a negative one
     *     for not at all
     */
    Reservation reserve(long permits, Duration timeout);

    /**
     * Takes one permit, waiting until it comes due.
     *
     * @return the time waited
     * @throws RateLimitExceededException if it would take longer than the limit's {@code maxWait}
     */
    default Duration acquire() {
        return acquire(1);
    }

    /**
     * Takes permits, waiting until they come due.
     *
     * @param permits at least 1
     * @return the time waited
     * @throws RateLimitExceededException if it would take longer than the limit's {@code maxWait}
     */
    Duration acquire(long permits);

    /** {@code on(key).acquire()}. */
    default Duration acquire(String key) {
        return on(key).acquire();
    }

    /**
     * The methods of a rate limiter for callers whose thread must not block, neither for the backend nor for permits. Futures are
     * given up as those of {@link Limiter.Async}.
     */
    interface Async extends Limiter.Async {

        @Override
        Async on(String key);

        /**
         * As {@link RateLimiter#acquire(long)}.
         *
         * @return fails with {@link RateLimitExceededException} if it would take longer than the limit's {@code maxWait}
         */
        CompletableFuture<Duration> acquire(long permits);

        /** As {@link RateLimiter#reserve(long, Duration)}. */
        CompletableFuture<Reservation> reserve(long permits, Duration timeout);

        /** As {@link RateLimiter#acquire()}. */
        default CompletableFuture<Duration> acquire() {
            return acquire(1);
        }

        /** {@code on(key).acquire()}. */
        default CompletableFuture<Duration> acquire(String key) {
            return on(key).acquire();
        }
    }
}
