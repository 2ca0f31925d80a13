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
 * <p>Limiters of one name share their permits, even under different limits. For example, {@code build("k", 100, 1, 60)} after
 * {@code build("k", 1, 1, 60)} limits at 100/s, and both take from one bucket. A rate that was set with {@link RateLimiter#setRate} applies to
 * all limiters of that name and prefix, including those that are built later.
 *
 * <p>Later versions may add methods, because applications call a factory and do not implement one, except to forward to another factory.
 *
 * <p>Factories are safe for use by many threads. All methods throw {@link IllegalArgumentException} if a name is blank
 * or a number is out of range.
 */
public interface LimiterFactory extends AutoCloseable {

    /**
     * Builds a limiter with a token bucket. It starts full, and its callers wait for their own permits, unless the bucket is
     * defined otherwise, as with {@link TokenBucket#guava(double)}.
     */
    RateLimiter build(String name, TokenBucket limit);

    /** Builds a limiter whose permits are held until they are released. */
    ConcurrencyLimiter build(String name, ConcurrencyLimit limit);

    /**
     * Builds a limiter with any kind of limit, either one of {@link io.limiter.algorithm} or one of your own. For a token bucket, it is the
     * {@link RateLimiter} that {@link #build(String, TokenBucket)} returns.
     *
     * @throws IllegalArgumentException also for a {@link ConcurrencyLimit}, whose permits are held and not spent, and if the factory's engine
     *     cannot decide this kind of limit. The script engine needs a script for it, and the lock engine and the local engine need none
     */
    Limiter build(String name, Limit limit);

    /**
     * The rate limiter of a limit that is defined elsewhere under this name: in Spring under {@code limiter.limits.<name>}, otherwise with the
     * builder of the factory. It has the options of that definition, and those of the factory where the definition does not set them. In the
     * factory of a {@linkplain LimiterOptions#withPlan plan}, it has the definition of that plan.
     *
     * <p>Such a definition changes nothing for {@link #build(String, TokenBucket)} with the same name.
     *
     * @throws IllegalArgumentException if there is no limit of this name, or it is not a token bucket
     */
    RateLimiter rateLimiter(String name);

    /**
     * As {@link #rateLimiter}, with any kind of limit except a {@link ConcurrencyLimit}.
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
     * A view of this factory whose limiters have other options. Options that are not set are those of this factory, so {@code with(a).with(b)}
     * has both, and {@code b} has precedence if both set an option. Closing a view closes nothing.
     */
    LimiterFactory with(LimiterOptions options);

    /** The statistics of the limiters' decisions. Default: {@link LimiterStatistics#NONE}. */
    default LimiterStatistics statistics() {
        return LimiterStatistics.NONE;
    }

    /**
     * Releases all leases and closes the limiters, so that later requests fail with {@link LimiterBackendException}.
     *
     * <p>It does nothing on a view that {@link #with} returned, and by default.
     */
    @Override
    default void close() {}

    /**
     * Builds a limiter with a token bucket that starts full and whose callers wait for their own permits.
     *
     * @param permitsPerSecond the rate, from 1/86,400,000 (one permit in 1,000 days) to 1,000,000,000
     * @param maxBurstSeconds the capacity in seconds, which is how long unused permits are stored
     * @param expireSeconds how many seconds an unused bucket is stored at least. It is stored longer if its expiry would give permits away
     */
    default RateLimiter build(String name, double permitsPerSecond, double maxBurstSeconds, long expireSeconds) {
        return build(
                name, TokenBucket.of(permitsPerSecond, maxBurstSeconds).withExpire(Duration.ofSeconds(expireSeconds)));
    }
}
