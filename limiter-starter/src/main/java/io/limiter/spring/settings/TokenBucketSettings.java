package io.limiter.spring.settings;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a token bucket.
 *
 * @param timeout how long a call waits for permits; {@code null} for not at all
 * @param expire how long the state of an unused bucket is kept at least; {@code null} for the default
 */
public record TokenBucketSettings(
        Rate rate,
        Capacity capacity,
        @Nullable Duration timeout,
        @Nullable Duration expire,
        @Nullable PrefetchTerms prefetch)
        implements KindSettings {

    /**
     * How many unused permits a bucket keeps; at most one is set, and without one it is a second's worth.
     *
     * @param burst in seconds
     * @param permits in permits
     * @param warmUp how long a cold bucket takes to reach its rate, which makes the capacity
     */
    public record Capacity(
            @Nullable Double burst,
            @Nullable Integer permits,
            @Nullable Duration warmUp) {

        boolean isSet() {
            return burst != null || permits != null || warmUp != null;
        }

        private void check() {
            if (warmUp != null && burst != null) {
                throw new IllegalArgumentException(
                        "burst has no effect with warm-up " + warmUp + ", leave one of them out");
            }
            if (warmUp != null && permits != null) {
                throw new IllegalArgumentException(
                        "capacity has no effect with warm-up " + warmUp + ", leave one of them out");
            }
            if (burst != null && permits != null) {
                throw new IllegalArgumentException("capacity " + permits + " (permits) and burst " + burst
                        + " (seconds) both say how many unused permits are kept: leave one of them out");
            }
        }
    }

    @Override
    public LimitKind kind() {
        return LimitKind.TOKEN_BUCKET;
    }

    static TokenBucketSettings of(LimitSettings configured) {
        Duration burst = configured.burst();
        return new TokenBucketSettings(
                new Rate(configured.rate(), configured.per()),
                new Capacity(
                        burst == null ? null : burst.toSeconds() + burst.getNano() / 1e9,
                        configured.capacity(),
                        configured.warmUp()),
                configured.timeout(),
                configured.expire(),
                prefetch(configured));
    }

    private static @Nullable PrefetchTerms prefetch(LimitSettings configured) {
        Integer permits = configured.prefetchPermits();
        Duration time = configured.prefetchTime();
        return permits == null || permits == 0
                ? null
                : new PrefetchTerms(permits, time == null ? Duration.ofSeconds(1) : time);
    }

    @Override
    public TokenBucketSettings overriddenBy(LimitSettings configured) {
        TokenBucketSettings own = of(configured);
        return new TokenBucketSettings(
                rate.overriddenBy(configured),
                own.capacity.isSet() ? own.capacity : capacity,
                LimitSettings.first(own.timeout, timeout),
                LimitSettings.first(own.expire, expire),
                own.prefetch);
    }

    @Override
    public Duration callTimeout() {
        return timeout == null ? Duration.ZERO : timeout;
    }

    @Override
    public TokenBucket toLimit() {
        TokenBucket bucket = bucket(rate.permitsPerSecond());
        if (expire != null) {
            bucket = bucket.withExpire(expire);
        }
        if (prefetch != null && capacity.warmUp() != null) {
            throw new IllegalArgumentException("prefetch-permits has no effect with warm-up " + capacity.warmUp()
                    + ", where the next caller waits: leave one of them out");
        }
        return bucket;
    }

    private TokenBucket bucket(double permitsPerSecond) {
        capacity.check();
        Duration longest = TokenBucket.DEFAULT_MAX_WAIT;
        Duration maxWait = callTimeout().compareTo(longest) > 0 ? callTimeout() : longest;
        if (capacity.warmUp() != null) {
            return TokenBucket.perSecond(permitsPerSecond)
                    .withWarmUp(capacity.warmUp())
                    .withMaxWait(maxWait);
        }
        if (capacity.permits() != null) {
            return TokenBucket.perSecond(permitsPerSecond)
                    .withCapacity(capacity.permits())
                    .withMaxWait(maxWait);
        }
        double burst = burst(permitsPerSecond);
        return callTimeout().isZero()
                ? TokenBucket.of(permitsPerSecond, burst)
                : waitedFor(permitsPerSecond, burst, maxWait);
    }

    /** It may hold less than a permit, if the timeout is long enough to wait for the rest. */
    private TokenBucket waitedFor(double permitsPerSecond, double burst, Duration maxWait) {
        TokenBucket bucket = new TokenBucket(
                permitsPerSecond, burst, 0, null, WhoWaits.CALLER, true, maxWait, TokenBucket.DEFAULT_EXPIRE);
        Decision first = bucket.step(null, 0, Request.peek(1, callTimeout().toNanos() / 1000))
                .decision();
        if (!first.granted()) {
            throw new IllegalArgumentException("rate " + permitsPerSecond + "/s with a burst of " + burst
                    + " s holds at most " + bucket.maxPermits()
                    + " permits, so not one call would ever be granted with a timeout of " + callTimeout()
                    + ": burst must be at least " + 1.0 / permitsPerSecond + " s, or the timeout at least "
                    + first.waitMicros() / 1e6 + " s");
        }
        return bucket;
    }

    /** A second's worth by default, and where the rate is per period, one permit if that is more. */
    private double burst(double permitsPerSecond) {
        if (capacity.burst() != null) {
            return capacity.burst();
        }
        if (rate.per() == null || permitsPerSecond >= 1) {
            return 1.0;
        }
        double seconds = 1 / permitsPerSecond;
        // Rounded up, so that a bucket holds all of the permit.
        return permitsPerSecond * seconds < 1 ? Math.nextUp(seconds) : seconds;
    }
}
