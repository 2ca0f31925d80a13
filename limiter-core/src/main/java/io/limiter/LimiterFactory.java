package io.limiter;

import io.limiter.algorithm.Ban;
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
    Limiter build(String name, Limit<?> limit);

    /**
     * A view of this factory in another namespace, for limits that several applications share on purpose, such as the quota of a
     * third party. All of them name the same one.
     *
     * <p>Limiters of one name in two namespaces share no permits. Live limits and statistics go by prefix and name alone, and those
     * of the application apply in all namespaces.
     *
     * @param namespace at most 100 characters; empty for none
     */
    LimiterFactory withNamespace(String namespace);

    /**
     * A view of this factory with another prefix of its keys. Limiters of one name under two prefixes share nothing.
     *
     * @param prefix may be empty; must not contain braces, which delimit the hash tag in a Redis Cluster
     */
    LimiterFactory withPrefix(String prefix);

    /**
     * A view of this factory with another hash tag of its keys, which decides their slots in a Redis Cluster.
     *
     * <p>Limiters of one name with two hash tags share only the permits that have no key.
     */
    LimiterFactory withHashTag(HashTag hashTag);

    /**
     * A view of this factory whose limiters are a plan of the limit of their name: they take its permits, under another definition.
     *
     * <p>A key keeps what it has used when its plan changes, scaled as by {@link RateLimiter#setRate}. Live limits, rates that
     * are set, statistics and listeners know limiters of a plan as {@code name.plan}, and those of the limit itself by their
     * name. A plan is of the same kind as its limit; building one that is not, or a limiter whose name is that of a plan of
     * another one, throws {@link IllegalArgumentException}.
     *
     * @param plan must not be blank
     */
    LimiterFactory withPlan(String plan);

    /**
     * A view of this factory with another failure policy, which decides when the backend does not.
     *
     * <p>Limiters of one name under two policies share their permits. A local factory has no backend that could fail, and ignores
     * the policy.
     */
    LimiterFactory withFailurePolicy(FailurePolicy policy);

    /**
     * A view of this factory whose token buckets prefetch: each instance takes as many permits of a key as were lately requested
     * from it, or its share by demand if there are not enough for all, and grants and rejects without a call to Redis until
     * it may take more.
     *
     * <p>In any time {@code t}, the fleet uses at most {@code capacity + rate * (t + time)} permits, however many instances it
     * has. Requests that wait, requests for more permits than an instance is given, limit sets, buckets that are refilled by fewer
     * than ten permits in {@code time} and hold fewer than 1,000, and buckets that are full within {@code time} are decided in
     * Redis one by one. Limiters of one name with and without prefetch share their permits. The view rejects other kinds of limit, and buckets in which the next
     * caller waits. A local factory has no backend to prefetch from, and ignores it; so does this default.
     *
     * @param time prefetch time: how much later a permit may be used than Redis counts it as used, from 10 ms to 10 s
     */
    default LimiterFactory withPrefetch(Duration time) {
        return withPrefetch(time, PrefetchTerms.DEFAULT_CALLS_PER_SECOND);
    }

    /**
     * As {@link #withPrefetch(Duration)}, with a bound on the calls that prefetch permits of one key.
     *
     * @param callsPerSecond of the whole fleet, from 1 to 1,000,000; by default 5,000
     */
    default LimiterFactory withPrefetch(Duration time, int callsPerSecond) {
        return this;
    }

    /**
     * A view of this factory whose limiters ban keys that they reject too often.
     *
     * <p>A banned key is rejected with the source {@link io.limiter.algorithm.Decision.Source#OVERRIDE} and the rest of the ban as
     * its retry-after; a timeout does not wait for its end. The ban is that of the key, whatever its plan. It does not apply to keys
     * that a live limit exempts, nor to the limiter's own permits, which are those of all callers. {@link Limiter#reset} ends it.
     *
     * <p>Limiters of one name share the bans of their keys. Limiters without a ban ignore them. The view rejects concurrency limits,
     * and prefetch.
     */
    LimiterFactory withBan(Ban ban);

    /**
     * A view of this factory that calls no {@link LimiterListener} for rejections, for limits in shadow mode.
     *
     * <p>Rejections still count in the statistics, and limiters of one name share their permits.
     */
    default LimiterFactory withoutListeners() {
        return this;
    }

    /**
     * A view of this factory whose limiters live limits do not change, for limits that the application computes itself. Those of
     * single keys apply.
     *
     * <p>Limiters of one name still share their permits.
     */
    default LimiterFactory withoutLiveLimits() {
        return this;
    }

    /** What the limiters have decided. Default: {@link LimiterStatistics#NONE}. */
    default LimiterStatistics statistics() {
        return LimiterStatistics.NONE;
    }

    /**
     * Releases all leases and closes the limiters: later requests fail with {@link LimiterBackendException}.
     *
     * <p>Does nothing on a view such as {@link #withPrefix}, and by default.
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
