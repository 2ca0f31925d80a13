package io.limiter;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Distributes permits at a configurable rate: Guava's {@code RateLimiter}, for every JVM that uses the same name.
 *
 * <table class="striped">
 *   <caption>What happens when a permit is not there</caption>
 *   <tr><th>{@code acquire}</th><td>waits until it is, at most the limit's {@code maxWait}; throws
 *       {@link RateLimitExceededException} if it would take longer</td></tr>
 *   <tr><th>{@code tryAcquire}</th><td>returns {@code false} at once, or waits if that is all it takes to get it within
 *       the timeout</td></tr>
 *   <tr><th>{@code decide}</th><td>does the same, and says what remains and when to come back</td></tr>
 *   <tr><th>{@code peek}</th><td>says what {@code decide} would, and takes nothing</td></tr>
 * </table>
 *
 * <p>A wait is decided before it begins: the permits are booked, and the caller sleeps until they are its own, without
 * holding a lock or a connection. As in Guava, an interrupt cuts neither the sleep short nor the wait for the decision:
 * the permits are spent either way. The thread's interrupt flag is set again when the method returns.
 *
 * <p>Timeouts are precise to the microsecond; one that is zero or negative means not to wait. Those without a timeout
 * of their own use the limit's, which is zero unless it was set. None waits longer than the limit's {@code maxWait}.
 */
public interface RateLimiter extends Limiter {

    @Override
    TokenBucket limit();

    /** The rate in permits per second, as this limiter was built or last told. */
    default double getRate() {
        return limit().permitsPerSecond();
    }

    /**
     * Changes the rate of all limiters that its factory has built for this name and prefix, or will build, from their next
     * decisions on; for as long as the factory lives, or until it is set again. Permits stored so far are settled at the old rate
     * and then scaled to the new one; what is booked ahead stays booked, within {@code maxWait}.
     *
     * <p>Other factories, such as those in other JVMs, keep their rate until it is set there.
     *
     * @param permitsPerSecond from 0.00000001 to 1,000,000,000
     * @throws IllegalArgumentException if the rate is out of range, or so low for the limit's burst that no call could
     *     ever be granted
     */
    void setRate(double permitsPerSecond);

    /**
     * Asks for permits and returns the whole decision, after waiting for them if they were granted later than now.
     *
     * @param permits at least 1
     * @param timeout how long to wait at most
     */
    Decision decide(int permits, Duration timeout);

    /** As {@link #decide(int, Duration)}, from the permits of one key. */
    Decision decide(String key, int permits, Duration timeout);

    /**
     * As {@link #decide(int, Duration)}, without blocking the calling thread: the future is completed when the permits
     * are there, or will not be. See {@link #decideAsync(int)}.
     *
     * @param permits at least 1
     * @param timeout how long to wait at most
     */
    CompletableFuture<Decision> decideAsync(int permits, Duration timeout);

    /** As {@link #decideAsync(int, Duration)}, from the permits of one key. */
    CompletableFuture<Decision> decideAsync(String key, int permits, Duration timeout);

    /** Books one permit and says when it may be used, without waiting. */
    default Reservation reserve() {
        return reserve(1);
    }

    /**
     * Books permits and says when they may be used, without waiting; at most the limit's {@code maxWait} ahead.
     *
     * @param permits at least 1
     */
    default Reservation reserve(int permits) {
        return reserve(permits, limit().maxWait());
    }

    /** As {@link #reserve(int)}, from the permits of one key. */
    default Reservation reserve(String key, int permits) {
        return reserve(key, permits, limit().maxWait());
    }

    /**
     * As {@link #reserve(int)}, at most so far ahead.
     *
     * @param permits at least 1
     * @param timeout how long the caller would wait at most; no longer than the limit's {@code maxWait} in any case
     */
    Reservation reserve(int permits, Duration timeout);

    /** As {@link #reserve(int, Duration)}, from the permits of one key. */
    Reservation reserve(String key, int permits, Duration timeout);

    /**
     * As {@link #reserve(int)}, without blocking the calling thread for the backend. If the future is cancelled before it is
     * completed, what it books is given back.
     */
    default CompletableFuture<Reservation> reserveAsync(int permits) {
        return reserveAsync(permits, limit().maxWait());
    }

    /** As {@link #reserveAsync(int)}, from the permits of one key. */
    default CompletableFuture<Reservation> reserveAsync(String key, int permits) {
        return reserveAsync(key, permits, limit().maxWait());
    }

    /** As {@link #reserve(int, Duration)} and {@link #reserveAsync(int)}. */
    CompletableFuture<Reservation> reserveAsync(int permits, Duration timeout);

    /** As {@link #reserveAsync(int, Duration)}, from the permits of one key. */
    CompletableFuture<Reservation> reserveAsync(String key, int permits, Duration timeout);

    /**
     * Takes one permit, waiting for it as long as it takes.
     *
     * @return the time waited
     * @throws RateLimitExceededException if it would take longer than the limit's {@code maxWait}
     */
    default Duration acquire() {
        return acquire(1);
    }

    /**
     * Takes permits, waiting for them as long as it takes.
     *
     * @param permits at least 1
     * @return the time waited
     * @throws RateLimitExceededException if it would take longer than the limit's {@code maxWait}
     */
    default Duration acquire(int permits) {
        return acquired(name(), decide(permits, limit().maxWait()));
    }

    /** As {@link #acquire()}, from the permits of one key. */
    default Duration acquire(String key) {
        return acquire(key, 1);
    }

    /** As {@link #acquire(int)}, from the permits of one key. */
    default Duration acquire(String key, int permits) {
        return acquired(key, decide(key, permits, limit().maxWait()));
    }

    /** Takes one permit if it can be had within the timeout. */
    default boolean tryAcquire(Duration timeout) {
        return tryAcquire(1, timeout);
    }

    /** Takes one permit if it can be had within the timeout. */
    default boolean tryAcquire(long timeout, TimeUnit unit) {
        return tryAcquire(1, timeout, unit);
    }

    /** Takes all of the permits if they can be had within the timeout, or none. */
    default boolean tryAcquire(int permits, Duration timeout) {
        return decide(permits, timeout).granted();
    }

    /** Takes all of the permits if they can be had within the timeout, or none. */
    default boolean tryAcquire(int permits, long timeout, TimeUnit unit) {
        return tryAcquire(permits, Duration.ofNanos(unit.toNanos(timeout)));
    }

    /** Takes one permit of the key if it can be had within the timeout. */
    default boolean tryAcquire(String key, Duration timeout) {
        return tryAcquire(key, 1, timeout);
    }

    /** Takes one permit of the key if it can be had within the timeout. */
    default boolean tryAcquire(String key, long timeout, TimeUnit unit) {
        return tryAcquire(key, 1, timeout, unit);
    }

    /** Takes all of the key's permits asked for if they can be had within the timeout, or none. */
    default boolean tryAcquire(String key, int permits, Duration timeout) {
        return decide(key, permits, timeout).granted();
    }

    /** Takes all of the key's permits asked for if they can be had within the timeout, or none. */
    default boolean tryAcquire(String key, int permits, long timeout, TimeUnit unit) {
        return tryAcquire(key, permits, Duration.ofNanos(unit.toNanos(timeout)));
    }

    /**
     * As {@link #acquire(int)}, without blocking the calling thread; see {@link #decideAsync(int)}.
     *
     * @return the time waited; fails with {@link RateLimitExceededException} if it would take longer than the limit's
     *     {@code maxWait}
     */
    default CompletableFuture<Duration> acquireAsync(int permits) {
        return MappedFuture.of(decideAsync(permits, limit().maxWait()), decision -> acquired(name(), decision));
    }

    /** As {@link #acquireAsync(int)}, from the permits of one key. */
    default CompletableFuture<Duration> acquireAsync(String key, int permits) {
        return MappedFuture.of(decideAsync(key, permits, limit().maxWait()), decision -> acquired(key, decision));
    }

    /** As {@link #tryAcquire(int, Duration)}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    default CompletableFuture<Boolean> tryAcquireAsync(int permits, Duration timeout) {
        return MappedFuture.of(decideAsync(permits, timeout), Decision::granted);
    }

    /** As {@link #tryAcquireAsync(int, Duration)}, from the permits of one key. */
    default CompletableFuture<Boolean> tryAcquireAsync(String key, int permits, Duration timeout) {
        return MappedFuture.of(decideAsync(key, permits, timeout), Decision::granted);
    }

    private static Duration acquired(String key, Decision decision) {
        if (!decision.granted()) {
            throw new RateLimitExceededException(key, decision);
        }
        return decision.timeToWait();
    }
}
