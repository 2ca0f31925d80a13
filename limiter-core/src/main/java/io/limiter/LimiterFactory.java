package io.limiter;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Builds limiters. Building is cheap and makes no call to the backend.
 *
 * <p>A limiter that was built lately with the same name and limit is returned again, so callers need not keep it.
 *
 * <p>Limiters of one name share their permits, also under different limits: {@code build("k", 100, 1, 60)} after
 * {@code build("k", 1, 1, 60)} limits at 100/s, and both take from one bucket. But once a rate was set for a name by
 * {@link RateLimiter#setRate}, all limiters of that name and prefix have it, those built later too, whatever their limits say.
 *
 * <p>Factories are safe for use by many threads. All methods throw {@link IllegalArgumentException} if a name is blank
 * or a number is out of its range.
 */
public interface LimiterFactory extends AutoCloseable {

    /** A limiter for the permits of this name, limited by a token bucket. */
    RateLimiter build(String name, TokenBucket limit);

    /** A limiter for the permits of this name, which are held for a while and given back. */
    ConcurrencyLimiter build(String name, ConcurrencyLimit limit);

    /**
     * A limiter for the permits of this name, limited by any kind of limit: one of {@link io.limiter.algorithm}, or one of
     * your own. For a token bucket it is the {@link RateLimiter} that {@link #build(String, TokenBucket)} returns.
     *
     * @throws IllegalArgumentException also for a {@link ConcurrencyLimit}, whose permits are held and not spent, and if this
     *     factory's engine cannot decide this kind of limit: the script engine
     *     needs a script for it, the lock engine and the local one need none
     */
    Limiter build(String name, Limit<?> limit);

    /**
     * The same factory with other keys in the backend. Limiters of one name under two prefixes share nothing.
     *
     * @param prefix starts every key; may be empty, must not contain braces, which name the slot in a Redis Cluster
     */
    LimiterFactory withPrefix(String prefix);

    /**
     * The same factory whose limiters' permits lie elsewhere in a Redis Cluster; see {@link HashTag}. Limiters of one name with
     * two hash tags share only the permits that have no key.
     */
    LimiterFactory withHashTag(HashTag hashTag);

    /**
     * The same factory with another failure policy, for when the backend does not decide. Limiters of one name under two
     * policies share their permits. Local limiters have no backend that could fail, so there it makes no difference.
     */
    LimiterFactory withFailurePolicy(FailurePolicy policy);

    /**
     * The same factory whose rejections no {@link LimiterListener} is called for: for limits in shadow mode. They count in the
     * statistics all the same, and limiters of one name share their permits.
     */
    default LimiterFactory withoutListeners() {
        return this;
    }

    /** What the limiters have decided. Default: {@link LimiterStatistics#NONE}. */
    default LimiterStatistics statistics() {
        return LimiterStatistics.NONE;
    }

    /**
     * Gives back all permits that are held under leases, and ends the limiters: what comes later fails with
     * {@link LimiterBackendException}. A factory that another one returned, such as {@link #withPrefix}, has nothing to close:
     * for it, and by default, this does nothing.
     */
    @Override
    default void close() {}

    /**
     * A token bucket that starts full and whose callers wait for their own permits.
     *
     * @param permitsPerSecond the rate, from 0.00000001 to 1,000,000,000
     * @param maxBurstSeconds how many seconds of unused permits are kept
     * @param expireSeconds how many seconds an unused bucket is kept at the least; it is kept longer where forgetting
     *     it sooner would hand out permits
     */
    default RateLimiter build(String name, double permitsPerSecond, double maxBurstSeconds, long expireSeconds) {
        return build(name, TokenBucket.of(permitsPerSecond, maxBurstSeconds).expire(Duration.ofSeconds(expireSeconds)));
    }

    /**
     * What Guava's {@code RateLimiter.create(permitsPerSecond)} builds: a burst of one second, empty at first, and
     * the next caller pays. A bucket that nobody uses for a minute is empty again.
     */
    default RateLimiter create(String name, double permitsPerSecond) {
        return build(name, TokenBucket.guava(permitsPerSecond));
    }

    /**
     * What Guava's {@code RateLimiter.create(permitsPerSecond, warmupPeriod)} builds: cold at first, and up to its rate
     * after one warm-up period of full load; see {@link WarmUp}.
     */
    default RateLimiter create(String name, double permitsPerSecond, Duration warmupPeriod) {
        return build(name, TokenBucket.guava(permitsPerSecond, warmupPeriod));
    }

    /** As {@link #create(String, double, Duration)}. */
    default RateLimiter create(String name, double permitsPerSecond, long warmupPeriod, TimeUnit unit) {
        return create(name, permitsPerSecond, Duration.ofNanos(unit.toNanos(warmupPeriod)));
    }

    /** At most {@code limit} permits in a {@code period} that starts with its first request. */
    default Limiter count(String name, int limit, Duration period) {
        return build(name, FixedWindow.of(limit, period));
    }

    /** At most {@code limit} permits held at the same time, each for {@code leaseTime} unless it is renewed. */
    default ConcurrencyLimiter concurrent(String name, int limit, Duration leaseTime) {
        return build(name, ConcurrencyLimit.of(limit).leaseTime(leaseTime));
    }

    /** At most {@code limit} permits held at the same time; that of a holder that crashed comes back after 30 s. */
    default ConcurrencyLimiter concurrent(String name, int limit) {
        return build(name, ConcurrencyLimit.of(limit));
    }
}
