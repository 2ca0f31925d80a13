package io.limiter;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;

/**
 * Builds limiters. Building is cheap and makes no call to the backend.
 *
 * <p>Limiters are cached by name and limit, so callers need not keep them.
 *
 * <p>Limiters of one name share their permits, even under different limits: {@code build("k", 100, 1, 60)} after
 * {@code build("k", 1, 1, 60)} limits at 100/s, and both take from one bucket. A rate that was set by
 * {@link RateLimiter#setRate} applies to all limiters of that name and prefix, including those built later.
 *
 * <p>Applications call it and do not implement it, except to forward to another factory, so later versions may add methods.
 *
 * <p>Factories are safe for use by many threads. All methods throw {@link IllegalArgumentException} if a name is blank
 * or a number is out of range.
 */
public interface LimiterFactory extends AutoCloseable {

    /**
     * Builds a limiter with a token bucket. It starts full, and its callers wait for their own permits, unless the bucket is
     * defined otherwise, as by {@link TokenBucket#guava(double)}.
     */
    RateLimiter build(String name, TokenBucket limit);

    /** Builds a limiter whose permits are held until they are released. */
    ConcurrencyLimiter build(String name, ConcurrencyLimit limit);

    /**
     * Builds a limiter with any kind of limit: one of {@link io.limiter.algorithm}, or one of your own. For a token bucket it
     * is the {@link RateLimiter} that {@link #build(String, TokenBucket)} returns.
     *
     * @throws IllegalArgumentException also for a {@link ConcurrencyLimit}, whose permits are held and not spent, and if the
     *     factory's engine cannot decide this kind of limit: the script engine needs a script for it, the lock engine and the
     *     local engine need none
     */
    Limiter build(String name, Limit limit);

    /**
     * The rate limiter of a limit that is defined elsewhere, by its name: in Spring by {@code limiter.limits.<name>}, otherwise by the
     * builder of the factory. It has the options of that definition; those that the definition does not set are the factory's. In the
     * factory of a {@linkplain LimiterOptions#withPlan plan} it has the definition of that plan.
     *
     * <p>Such a definition changes nothing for {@link #build(String, TokenBucket)} with the same name.
     *
     * @throws IllegalArgumentException if there is no limit of this name, or it is no token bucket
     */
    RateLimiter rateLimiter(String name);

    /**
     * As {@link #rateLimiter}, with any kind of limit but a {@link ConcurrencyLimit}.
     *
     * @throws IllegalArgumentException if there is no limit of this name, or its permits are held
     */
    Limiter limiter(String name);

    /**
     * As {@link #rateLimiter}, with a limit whose permits are held until they are released.
     *
     * @throws IllegalArgumentException if there is no limit of this name, or its permits are spent
     */
    ConcurrencyLimiter concurrencyLimiter(String name);

    /**
     * A view of this factory, whose limiters have other options. What is not set is this factory's, so {@code with(a).with(b)} has
     * both, and {@code b} wins where both are set. Closing a view closes nothing.
     */
    LimiterFactory with(LimiterOptions options);

    /** What the limiters have decided. Default: {@link LimiterStatistics#NONE}. */
    default LimiterStatistics statistics() {
        return LimiterStatistics.NONE;
    }

    /**
     * Releases all leases and closes the limiters: later requests fail with {@link LimiterBackendException}.
     *
     * <p>Does nothing on a view of {@link #with}, and by default.
     */
    @Override
    default void close() {}

    /**
     * Builds a limiter with a token bucket that starts full and whose callers wait for their own permits.
     *
     * @param permitsPerSecond the rate, from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000
     * @param maxBurstSeconds the capacity in seconds: for how long unused permits are stored
     * @param expireSeconds how many seconds an unused bucket is stored at least; longer if expiry would hand out permits
     */
    default RateLimiter build(String name, double permitsPerSecond, double maxBurstSeconds, long expireSeconds) {
        return build(
                name, TokenBucket.of(permitsPerSecond, maxBurstSeconds).withExpire(Duration.ofSeconds(expireSeconds)));
    }
}
