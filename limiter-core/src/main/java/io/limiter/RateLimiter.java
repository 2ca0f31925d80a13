package io.limiter;

import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Distributes permits at a configurable rate: Guava's {@code RateLimiter}, for every JVM that uses the same name.
 *
 * <table class="striped">
 *   <caption>Behaviour when a permit is not available</caption>
 *   <tr><th>{@code acquire()}</th><td>waits until it is available, at most for the limit's {@code maxWait}. It throws
 *       {@link RateLimitExceededException} immediately if it would take longer</td></tr>
 *   <tr><th>{@code tryAcquire()}</th><td>returns {@code false} immediately</td></tr>
 *   <tr><th>{@code tryAcquire(timeout)}</th><td>waits if the permit comes due within the timeout, otherwise returns
 *       {@code false} immediately</td></tr>
 *   <tr><th>{@code decide()}, {@code decide(permits, timeout)}</th><td>do the same as {@code tryAcquire}, and also return the
 *       remaining permits and the retry-after</td></tr>
 *   <tr><th>{@code reserve()}</th><td>takes a permit that is available now as a reservation, which you can cancel or
 *       settle. {@code reserve(permits, timeout)} also reserves permits that come due within the timeout, and returns when</td></tr>
 *   <tr><th>{@code peek()}</th><td>returns what {@code decide()} would decide, and takes nothing</td></tr>
 *   <tr><th>{@code async()}</th><td>has the same methods, which return futures that complete when the others would return</td></tr>
 * </table>
 *
 * <p>The permits are taken before a wait begins. Then the caller sleeps until they come due, without holding a lock or a connection. As in
 * Guava, an interrupt ends neither the sleep nor the wait for the decision, because the permits are spent in any case. The thread's
 * interrupt flag is set again when the method returns.
 *
 * <p>No caller waits longer than the limit's {@code maxWait}. Timeouts, keys and futures work as in {@link Limiter}.
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
     * Changes the rate of all limiters that its factory has built for this name and prefix, or will build. It applies from their next
     * decisions on, until it is set again or the factory is closed. Stored permits are settled at the old rate and then scaled to the new
     * one. Reserved permits stay reserved, within {@code maxWait}.
     *
     * <p>Other factories, such as those in other JVMs, keep their rate until it is set there. To change a whole fleet, use live limits, which
     * have precedence over this rate. If you set it on a view, it is set for the limiter and all its keys.
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
     * @param timeout how long the caller would wait at most, which is never longer than the limit's {@code maxWait}. Zero or a negative
     *     timeout means not to wait
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
     * The methods of a rate limiter for callers whose thread must block neither for the backend nor for permits. A caller gives up a future
     * as in {@link Limiter.Async}.
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
