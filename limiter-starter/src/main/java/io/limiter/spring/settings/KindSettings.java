package io.limiter.spring.settings;

import io.limiter.PrefetchTerms;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a limit of one kind, as an annotation or configuration gives them; {@code null} where they are not set. A kind
 * uses only some of them; see {@link LimitSettings} for what they mean.
 *
 * @param burst in seconds, exact where an annotation computes it
 */
public record KindSettings(
        LimitKind kind,
        @Nullable Double rate,
        @Nullable Duration per,
        @Nullable Double burst,
        @Nullable Integer capacity,
        @Nullable Duration warmUp,
        @Nullable Duration timeout,
        @Nullable Duration expire,
        @Nullable PrefetchTerms prefetch,
        @Nullable Integer limit,
        @Nullable Duration period,
        @Nullable ZoneId zone,
        @Nullable Duration lease) {

    /** The settings of a token bucket or a leaky one; of burst and capacity at most one may be set. */
    public static KindSettings ofBucket(
            LimitKind kind,
            double rate,
            @Nullable Duration per,
            @Nullable Double burst,
            @Nullable Integer capacity,
            @Nullable Integer limit,
            @Nullable Duration timeout,
            Duration expire) {
        return new KindSettings(kind, rate, per, burst, capacity, null, timeout, expire, null, limit, null, null, null);
    }

    /** The settings of a limit that counts; without a zone a fixed window starts with its first request. */
    public static KindSettings ofCount(
            LimitKind kind, int limit, Duration period, @Nullable ZoneId zone, Duration timeout) {
        return new KindSettings(kind, null, null, null, null, null, timeout, null, null, limit, period, zone, null);
    }

    /** The settings of a concurrency limit. */
    public static KindSettings ofConcurrency(int limit, Duration lease, Duration timeout) {
        return new KindSettings(
                LimitKind.CONCURRENT, null, null, null, null, null, timeout, null, null, limit, null, null, lease);
    }

    static KindSettings of(LimitKind kind, LimitSettings configured) {
        Duration burst = configured.burst();
        Integer prefetched = configured.prefetchPermits();
        Duration prefetchTime = configured.prefetchTime() == null ? Duration.ofSeconds(1) : configured.prefetchTime();
        return new KindSettings(
                kind,
                configured.rate(),
                configured.per(),
                burst == null ? null : burst.toSeconds() + burst.getNano() / 1e9,
                configured.capacity(),
                configured.warmUp(),
                configured.timeout(),
                configured.expire(),
                prefetched == null || prefetched == 0 ? null : new PrefetchTerms(prefetched, prefetchTime),
                configured.limit(),
                configured.period(),
                configured.zone(),
                configured.lease());
    }

    /** These settings, replaced by those that are set in configuration. Burst, capacity and warm-up replace one another. */
    KindSettings overriddenBy(LimitSettings configured) {
        KindSettings own = of(kind, configured);
        KindSettings sized = own.burst == null && own.capacity == null && own.warmUp == null ? this : own;
        return new KindSettings(
                kind,
                first(own.rate, rate),
                first(own.per, per),
                sized.burst,
                sized.capacity,
                sized.warmUp,
                first(own.timeout, timeout),
                first(own.expire, expire),
                first(own.prefetch, prefetch),
                first(own.limit, limit),
                first(own.period, period),
                first(own.zone, zone),
                first(own.lease, lease));
    }

    /** These settings with those of a plan, whose limit must stay of the kind. */
    KindSettings plannedBy(LimitSettings plan) {
        KindSettings planned = overriddenBy(plan);
        if (warmUp != null && planned.warmUp == null) {
            throw new IllegalArgumentException((plan.burst() != null ? "burst" : "capacity")
                    + " has no effect with the warm-up " + warmUp + " of the limit, leave it out");
        }
        return planned;
    }

    /**
     * The limit of these settings.
     *
     * @param permits as many as a call takes
     * @throws IllegalArgumentException if a setting is missing, out of its range, or without effect beside another, or if the
     *     limit would never grant the permits of a call
     */
    Limit<?> toLimit(int permits) {
        Limit<?> built = built();
        SettingChecks.canBeGranted(permits, built, callTimeout());
        return built;
    }

    private Limit<?> built() {
        return switch (kind) {
            case TOKEN_BUCKET -> toTokenBucket();
            case FIXED_WINDOW -> new FixedWindow(required("limit", limit), required("period", period), zone);
            case SLIDING_LOG -> SlidingLog.of(required("limit", limit), required("period", period));
            case SLIDING_COUNTER -> SlidingCounter.of(required("limit", limit), required("period", period));
            case LEAKY_BUCKET ->
                LeakyBucket.meter(permitsPerSecond(), required("limit", limit)).withMaxWait(maxWait());
            case LEAKY_QUEUE -> LeakyBucket.queue(permitsPerSecond(), required("limit", limit));
            case CONCURRENT -> ConcurrencyLimit.of(required("limit", limit)).withLeaseTime(required("lease", lease));
        };
    }

    /** How long a call waits for permits. A queue bounds the wait by itself, also one that was changed live. */
    Duration callTimeout() {
        return timeout != null ? timeout : kind == LimitKind.LEAKY_QUEUE ? SettingChecks.LONGEST : Duration.ZERO;
    }

    /** How far ahead calls can reserve, which must not be less than they wait. */
    private Duration maxWait() {
        Duration usual = TokenBucket.DEFAULT_MAX_WAIT;
        return callTimeout().compareTo(usual) > 0 ? callTimeout() : usual;
    }

    private double permitsPerSecond() {
        double permits = required("rate", rate);
        return per == null ? permits : permits / (per.toNanos() / 1e9);
    }

    private TokenBucket toTokenBucket() {
        double permitsPerSecond = permitsPerSecond();
        checkOneSize();
        TokenBucket bucket = bucket(permitsPerSecond);
        if (prefetch != null && warmUp != null) {
            throw new IllegalArgumentException("prefetch-permits has no effect with warm-up " + warmUp
                    + ", where the next caller waits: leave one of them out");
        }
        return expire == null ? bucket : bucket.withExpire(expire);
    }

    private void checkOneSize() {
        if (warmUp != null && (burst != null || capacity != null)) {
            throw new IllegalArgumentException((burst != null ? "burst" : "capacity") + " has no effect with warm-up "
                    + warmUp + ", leave one of them out");
        }
        if (burst != null && capacity != null) {
            throw new IllegalArgumentException("capacity " + capacity + " (permits) and burst " + burst
                    + " (seconds) both say how many unused permits are kept: leave one of them out");
        }
    }

    private TokenBucket bucket(double permitsPerSecond) {
        if (warmUp != null) {
            return TokenBucket.perSecond(permitsPerSecond).withWarmUp(warmUp).withMaxWait(maxWait());
        }
        if (capacity != null) {
            return TokenBucket.perSecond(permitsPerSecond)
                    .withCapacity(capacity)
                    .withMaxWait(maxWait());
        }
        double seconds = burst(permitsPerSecond);
        return callTimeout().isZero()
                ? TokenBucket.of(permitsPerSecond, seconds)
                // May hold less than a permit, if the timeout is long enough to wait for the rest.
                : new TokenBucket(
                        permitsPerSecond,
                        seconds,
                        0,
                        null,
                        WhoWaits.CALLER,
                        true,
                        maxWait(),
                        TokenBucket.DEFAULT_EXPIRE);
    }

    /** A second's worth by default, and where the rate is per period, one permit if that is more. */
    private double burst(double permitsPerSecond) {
        if (burst != null) {
            return burst;
        }
        if (per == null || permitsPerSecond >= 1) {
            return 1.0;
        }
        double seconds = 1 / permitsPerSecond;
        // Rounded up, so that a bucket holds all of the permit.
        return permitsPerSecond * seconds < 1 ? Math.nextUp(seconds) : seconds;
    }

    static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }

    private static <T> T required(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " must be set");
        }
        return value;
    }
}
