package io.limiter.internal.live;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Applies the parameters of live limits to limits. The kind stays: state of one kind means nothing to another. */
public final class LiveLimitMapper {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private LiveLimitMapper() {}

    /**
     * A limit with the parameters that are set.
     *
     * @throws IllegalArgumentException if they are out of range, or not for this kind of limit
     */
    @SuppressWarnings("unchecked") // Each kind stays.
    static <L extends AnyLimit> L applied(L own, LiveSettings settings) {
        LimitKind kind = settings.kind();
        LimitKind ownKind = LimitKind.of(own).orElse(null);
        if (kind != null && kind != ownKind && (ownKind != null || !settings.hasParameters())) {
            throw new IllegalArgumentException("kind " + kind + " cannot be applied to " + own
                    + ": a kind cannot be changed live, because the state of one means nothing to another; "
                    + (ownKind == null ? "leave the kind out" : "use kind " + ownKind));
        }
        if (!settings.hasParameters()) {
            return own;
        }
        if (ownKind == null) {
            throw new IllegalArgumentException("the parameters of a limit of the application's own (" + own
                    + ") cannot be changed live; only enforce, timeout and onFailure can");
        }
        checkParameters(settings, ownKind);
        long limit = or(settings.limit(), own.capacity());
        Duration period = or(settings.period(), or(period(own), SECOND));
        return (L)
                switch (ownKind) {
                    case TOKEN_BUCKET, LEAKY_BUCKET, LEAKY_QUEUE -> bucket((TokenBucket) own, settings);
                    case FIXED_WINDOW -> window(limit, period, ((FixedWindow) own).zone());
                    case SLIDING_LOG -> SlidingLog.of(limit, period);
                    case SLIDING_COUNTER -> SlidingCounter.of(limit, period);
                    case CONCURRENT -> ConcurrencyLimit.of(limit).withLeaseTime(((ConcurrencyLimit) own).leaseTime());
                };
    }

    private static FixedWindow window(long limit, Duration period, @Nullable ZoneId zone) {
        FixedWindow window = FixedWindow.of(limit, period);
        return zone == null ? window : window.withZone(zone);
    }

    /** The period of a limit that counts permits in windows; {@code null} for others. */
    private static @Nullable Duration period(AnyLimit limit) {
        if (limit instanceof FixedWindow window) {
            return window.period();
        }
        if (limit instanceof SlidingLog window) {
            return window.period();
        }
        return limit instanceof SlidingCounter window ? window.period() : null;
    }

    private static TokenBucket bucket(TokenBucket own, LiveSettings settings) {
        double rate = or(settings.rate(), own.permitsPerSecond());
        if (own.kind() == LimitKind.LEAKY_QUEUE) {
            long waiting = settings.capacity() == null ? waiting(own) : whole(settings.capacity());
            return own.withRate(rate)
                    .withMaxWait(LeakyBucket.queue(rate, waiting).maxWait());
        }
        if (own.kind() == LimitKind.LEAKY_BUCKET) {
            return settings.capacity() == null
                    ? own.withRate(rate)
                    : own.withRateAndCapacity(rate, whole(settings.capacity()));
        }
        if (own.warmUp() != null && (settings.capacity() != null || settings.burst() != null)) {
            throw new IllegalArgumentException("capacity and burst have no effect with a warm-up of "
                    + own.warmUp().period() + ", leave them out: the period makes the capacity");
        }
        if (settings.capacity() != null) {
            // Written so that NaN fails. Less would grant nothing without a wait.
            if (!(settings.capacity() >= 1)) {
                throw new IllegalArgumentException("capacity (permits) must be at least 1, was " + settings.capacity());
            }
            return own.withRateAndCapacity(rate, settings.capacity());
        }
        return settings.burst() == null ? own.withRate(rate) : own.withRateAndBurst(rate, settings.burst());
    }

    private static long whole(double capacity) {
        // Written so that NaN fails.
        if (!(capacity >= 1 && capacity == Math.rint(capacity))) {
            throw new IllegalArgumentException("capacity must be a whole number of at least 1, was " + capacity);
        }
        return (long) capacity;
    }

    /** How many calls wait at most in a leaky queue. */
    private static long waiting(TokenBucket queue) {
        return Math.round(queue.maxWaitMicros() * queue.permitsPerSecond() / 1e6);
    }

    private static void checkParameters(LiveSettings settings, LimitKind kind) {
        List<String> allowed = switch (kind) {
            case TOKEN_BUCKET -> List.of("rate", "capacity", "burst");
            case LEAKY_BUCKET, LEAKY_QUEUE -> List.of("rate", "capacity");
            case FIXED_WINDOW, SLIDING_LOG, SLIDING_COUNTER -> List.of("limit", "period");
            case CONCURRENT -> List.of("limit");
        };
        checkParameter("rate", settings.rate(), kind, allowed);
        checkParameter("capacity", settings.capacity(), kind, allowed);
        checkParameter("burst", settings.burst(), kind, allowed);
        checkParameter("limit", settings.limit(), kind, allowed);
        checkParameter("period", settings.period(), kind, allowed);
    }

    private static void checkParameter(String name, @Nullable Object value, LimitKind kind, List<String> allowed) {
        if (value != null && !allowed.contains(name)) {
            throw new IllegalArgumentException(name + " " + value + " has no effect on kind " + kind + ", which has "
                    + String.join(", ", allowed));
        }
    }

    private static <T> T or(@Nullable T set, T own) {
        return set == null ? own : set;
    }

    /**
     * Checks settings of a name without limiters here.
     *
     * @throws IllegalArgumentException if they are out of range, or have parameters without a kind
     */
    static void checkWithoutLimiter(String name, LiveSettings settings) {
        LimitKind kind = settings.kind();
        if (kind == null) {
            if (settings.hasParameters()) {
                throw new IllegalArgumentException("kind must be set for the parameters of '" + name
                        + "', which has no limiter in this instance yet");
            }
            return;
        }
        try {
            applied(prototype(kind, settings), settings);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the live limit of '" + name + "' is not possible: " + e.getMessage(), e);
        }
    }

    /** A limit whose own parameters fit any settings that are possible. */
    private static AnyLimit prototype(LimitKind kind, LiveSettings settings) {
        return switch (kind) {
            case TOKEN_BUCKET -> TokenBucket.perSecond(rateFor(settings));
            case LEAKY_BUCKET -> LeakyBucket.meter(rateFor(settings), 1);
            case LEAKY_QUEUE -> LeakyBucket.queue(rateFor(settings), 1);
            case FIXED_WINDOW -> FixedWindow.of(1, SECOND);
            case SLIDING_LOG -> SlidingLog.of(1, SECOND);
            case SLIDING_COUNTER -> SlidingCounter.of(1, SECOND);
            case CONCURRENT -> ConcurrencyLimit.of(1);
        };
    }

    /** High enough that a short burst has a permit, and that a large capacity fills in time. */
    private static double rateFor(LiveSettings settings) {
        Duration burst = settings.burst();
        double rate = burst == null || burst.isNegative() || burst.isZero()
                ? 1
                : 1 / (burst.toSeconds() + burst.getNano() / 1e9);
        double capacity = or(settings.capacity(), 1.0);
        double permits = (Double.isNaN(capacity) ? 1 : capacity) + or(settings.limit(), 1L);
        return Math.min(1e9, Math.max(1, Math.max(rate, permits / 1e6)));
    }

    /** The parameters of a limit, as a live limit would set them. */
    public static LiveSettings of(AnyLimit limit) {
        LimitKind kind = LimitKind.of(limit).orElse(null);
        if (kind == null) {
            return LiveSettings.NONE;
        }
        LiveSettings settings = LiveSettings.of(kind);
        long capacity = limit.capacity();
        return switch (kind) {
            case TOKEN_BUCKET -> ofBucket(settings, (TokenBucket) limit);
            case LEAKY_BUCKET ->
                settings.withRate(((TokenBucket) limit).permitsPerSecond()).withCapacity(capacity);
            case LEAKY_QUEUE ->
                settings.withRate(((TokenBucket) limit).permitsPerSecond()).withCapacity(waiting((TokenBucket) limit));
            case FIXED_WINDOW, SLIDING_LOG, SLIDING_COUNTER ->
                settings.withLimit(capacity).withPeriod(Objects.requireNonNull(period(limit)));
            case CONCURRENT -> settings.withLimit(capacity);
        };
    }

    private static LiveSettings ofBucket(LiveSettings settings, TokenBucket bucket) {
        LiveSettings withRate = settings.withRate(bucket.permitsPerSecond());
        if (bucket.warmUp() != null) {
            return withRate;
        }
        return bucket.minCapacity() > 0 && bucket.minCapacity() >= bucket.maxPermits()
                ? withRate.withCapacity(bucket.maxPermits())
                : withRate.withBurst(Duration.ofNanos(Math.round(bucket.burstSeconds() * 1e9)));
    }
}
