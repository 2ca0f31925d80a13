package io.limiter.spring.settings;

import io.limiter.Prefetch;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
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
    AnyLimit toLimit(long permits, String places) {
        AnyLimit built = built(places);
        SettingChecks.canBeGranted(permits, built, callTimeout());
        return built;
    }

    private AnyLimit built(String places) {
        if (kind == LimitKind.TOKEN_BUCKET) {
            return toTokenBucket(usual(places));
        }
        if (kind == LimitKind.LEAKY_BUCKET || kind == LimitKind.LEAKY_QUEUE) {
            long capacity = required("capacity", values.capacity(), "100 (at least 1)", places);
            double rate = permitsPerSecond(places);
            return kind == LimitKind.LEAKY_QUEUE
                    ? LeakyBucket.queue(rate, capacity)
                    : LeakyBucket.meter(rate, capacity).withMaxWait(maxWait());
        }
        long limit = required("limit", values.limit(), "100 (at least 1)", places);
        return switch (kind) {
            case FIXED_WINDOW -> fixedWindow(limit, per(places));
            case SLIDING_LOG -> SlidingLog.of(limit, perDuration(places));
            case SLIDING_COUNTER -> SlidingCounter.of(limit, perDuration(places));
            default ->
                ConcurrencyLimit.of(limit).withLeaseTime(first(values.lease(), ConcurrencyLimit.DEFAULT_LEASE_TIME));
        };
    }

    private FixedWindow fixedWindow(long limit, Per per) {
        ZoneId zone = values.zone();
        if (per.unit() == null && zone != null) {
            throw new IllegalArgumentException("zone '" + zone + "' has no effect without a unit of the calendar:"
                    + " set per to minute, hour or day, or leave the zone out");
        }
        FixedWindow window = FixedWindow.of(limit, per.length());
        return per.unit() == null ? window : window.withZone(first(zone, ZoneOffset.UTC));
    }

    private Duration perDuration(String places) {
        Per per = per(places);
        if (per.unit() != null) {
            throw new IllegalArgumentException(
                    "per '" + per + "' is a unit of the calendar, by which only a fixed window" + " goes, not kind "
                            + kind + ": set per to 1" + per.unit().charAt(0));
        }
        return per.length();
    }

    private Per per(String places) {
        return required("per", values.per(), "15m", places);
    }

    /** How long a call waits for permits. A queue bounds the wait by itself, also one that was changed live. */
    Duration callTimeout() {
        return first(values.timeout(), kind == LimitKind.LEAKY_QUEUE ? SettingChecks.UNTIL_ITS_TURN : Duration.ZERO);
    }

    /** How an instance prefetches permits; {@code null} if it does not. */
    @Nullable
    Prefetch prefetch() {
        Duration time = values.prefetchTime();
        return time == null
                ? null
                : Prefetch.of(time)
                        .withCallsPerSecond(first(values.prefetchCalls(), Prefetch.DEFAULT_CALLS_PER_SECOND));
    }

    /** How far ahead calls can reserve, which must not be less than they wait. */
    private Duration maxWait() {
        Duration usual = TokenBucket.DEFAULT_MAX_WAIT;
        return callTimeout().compareTo(usual) > 0 ? callTimeout() : usual;
    }

    /** The bucket of the rate alone, which holds as many permits as the number in the rate, and at least one. */
    private TokenBucket usual(String places) {
        return TokenBucket.per(
                required("rate", values.rate(), "10", places),
                first(values.per(), Per.of(Duration.ofSeconds(1))).ofRate());
    }

    private double permitsPerSecond(String places) {
        return usual(places).permitsPerSecond();
    }

    private TokenBucket toTokenBucket(TokenBucket usual) {
        checkOneSize();
        TokenBucket bucket = bucket(usual);
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

    private TokenBucket bucket(TokenBucket usual) {
        if (values.warmUp() != null) {
            return usual.withWarmUp(values.warmUp()).withMaxWait(maxWait());
        }
        if (values.capacity() != null) {
            return usual.withCapacity(values.capacity()).withMaxWait(maxWait());
        }
        if (values.burst() == null) {
            return usual.withMaxWait(maxWait());
        }
        double rate = usual.permitsPerSecond();
        double burst = seconds(values.burst());
        return callTimeout().isZero()
                ? TokenBucket.of(rate, burst)
                // May hold less than a permit, if the timeout is long enough to wait for the rest.
                : TokenBucket.forWaiting(rate, burst, maxWait());
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
