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
import org.jspecify.annotations.Nullable;

/**
 * The settings of a limit of one kind, as an annotation or configuration gives them, or both. A kind uses only some of them.
 *
 * @param kind which {@link LimitSettings#kind} does not name if it is the usual one
 */
public record KindSettings(LimitKind kind, LimitSettings values) {

    /** These settings, replaced by those that are set in configuration. */
    KindSettings overriddenBy(LimitSettings configured) {
        return new KindSettings(kind, values.overriddenBy(configured));
    }

    /** These settings with those of a plan, whose limit must stay of the kind. */
    KindSettings plannedBy(LimitSettings plan) {
        if (values.warmUp() != null && (plan.burst() != null || plan.capacity() != null)) {
            throw new IllegalArgumentException((plan.burst() != null ? "burst" : "capacity")
                    + " has no effect with the warm-up " + values.warmUp() + " of the limit, leave it out");
        }
        return overriddenBy(plan);
    }

    /**
     * The limit of these settings.
     *
     * @param permits as many as a call takes
     * @param places where settings can be set, for messages
     * @throws IllegalArgumentException if a setting is missing, out of its range, or without effect beside another, or if the
     *     limit would never grant the permits of a call
     */
    Limit<?> toLimit(int permits, String places) {
        Limit<?> built = built(places);
        SettingChecks.canBeGranted(permits, built, callTimeout());
        return built;
    }

    private Limit<?> built(String places) {
        if (kind == LimitKind.TOKEN_BUCKET) {
            return toTokenBucket(permitsPerSecond(places));
        }
        int limit = required("limit", values.limit(), "100 (at least 1)", places);
        return switch (kind) {
            case FIXED_WINDOW -> new FixedWindow(limit, period(places), values.zone());
            case SLIDING_LOG -> SlidingLog.of(limit, period(places));
            case SLIDING_COUNTER -> SlidingCounter.of(limit, period(places));
            case LEAKY_BUCKET ->
                LeakyBucket.meter(permitsPerSecond(places), limit).withMaxWait(maxWait());
            case LEAKY_QUEUE -> LeakyBucket.queue(permitsPerSecond(places), limit);
            default ->
                ConcurrencyLimit.of(limit).withLeaseTime(first(values.lease(), ConcurrencyLimit.DEFAULT_LEASE_TIME));
        };
    }

    private Duration period(String places) {
        return required("period", values.period(), "15m", places);
    }

    /** How long a call waits for permits. A queue bounds the wait by itself, also one that was changed live. */
    Duration callTimeout() {
        return first(values.timeout(), kind == LimitKind.LEAKY_QUEUE ? SettingChecks.LONGEST : Duration.ZERO);
    }

    /** How an instance prefetches permits; {@code null} if it does not. */
    @Nullable
    PrefetchTerms prefetch() {
        Duration time = values.prefetchTime();
        return time == null
                ? null
                : new PrefetchTerms(time, first(values.prefetchCalls(), PrefetchTerms.DEFAULT_CALLS_PER_SECOND));
    }

    /** How far ahead calls can reserve, which must not be less than they wait. */
    private Duration maxWait() {
        Duration usual = TokenBucket.DEFAULT_MAX_WAIT;
        return callTimeout().compareTo(usual) > 0 ? callTimeout() : usual;
    }

    private double permitsPerSecond(String places) {
        double permits = required("rate", values.rate(), "10", places);
        return values.per() == null ? permits : permits / (values.per().toNanos() / 1e9);
    }

    private TokenBucket toTokenBucket(double permitsPerSecond) {
        checkOneSize();
        TokenBucket bucket = bucket(permitsPerSecond);
        if (values.prefetchCalls() != null && prefetch() == null) {
            throw new IllegalArgumentException(
                    "prefetch-calls has no effect without prefetch-time: set that, or leave both out");
        }
        if (values.warmUp() != null && prefetch() != null) {
            throw new IllegalArgumentException("prefetch-time has no effect with warm-up " + values.warmUp()
                    + ", where the next caller waits: leave one of them out");
        }
        return values.expire() == null ? bucket : bucket.withExpire(values.expire());
    }

    private void checkOneSize() {
        Duration burst = values.burst();
        if (values.warmUp() != null && (burst != null || values.capacity() != null)) {
            throw new IllegalArgumentException((burst != null ? "burst" : "capacity") + " has no effect with warm-up "
                    + values.warmUp() + ", leave one of them out");
        }
        if (burst != null && values.capacity() != null) {
            throw new IllegalArgumentException("capacity " + values.capacity() + " (permits) and burst "
                    + seconds(burst) + " (seconds) both say how many unused permits are kept: leave one of them out");
        }
    }

    private TokenBucket bucket(double permitsPerSecond) {
        if (values.warmUp() != null) {
            return TokenBucket.perSecond(permitsPerSecond)
                    .withWarmUp(values.warmUp())
                    .withMaxWait(maxWait());
        }
        if (values.capacity() != null) {
            return TokenBucket.perSecond(permitsPerSecond)
                    .withCapacity(values.capacity())
                    .withMaxWait(maxWait());
        }
        double burst = burst(permitsPerSecond);
        return callTimeout().isZero()
                ? TokenBucket.of(permitsPerSecond, burst)
                // May hold less than a permit, if the timeout is long enough to wait for the rest.
                : new TokenBucket(
                        permitsPerSecond, burst, 0, null, WhoWaits.CALLER, true, maxWait(), TokenBucket.DEFAULT_EXPIRE);
    }

    /** In seconds: a second's worth by default, and where the rate is per period, one permit if that is more. */
    private double burst(double permitsPerSecond) {
        if (values.burst() != null) {
            return seconds(values.burst());
        }
        if (values.per() == null || permitsPerSecond >= 1) {
            return 1.0;
        }
        double seconds = 1 / permitsPerSecond;
        // Rounded up, so that a bucket holds all of the permit.
        return permitsPerSecond * seconds < 1 ? Math.nextUp(seconds) : seconds;
    }

    private static double seconds(Duration duration) {
        return duration.toSeconds() + duration.getNano() / 1e9;
    }

    private static <T> T first(@Nullable T one, T other) {
        return one == null ? other : one;
    }

    private static <T> T required(String name, @Nullable T value, String example, String places) {
        if (value == null) {
            throw new IllegalArgumentException(
                    name + " must be set in " + places + ", such as " + name + " = " + example);
        }
        return value;
    }
}
