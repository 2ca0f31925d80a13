package io.limiter.internal.limiter;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limits with the numbers of a live limit. The kind stays: state of one kind means nothing to another. */
public final class LiveNumbers {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private LiveNumbers() {}

    /** Whether numbers of a kind are for this limit. Leaky buckets are token buckets. */
    static boolean isOf(LiveKind kind, Limit<?> limit) {
        return switch (kind) {
            case TOKEN_BUCKET -> limit instanceof TokenBucket;
            case LEAKY_BUCKET ->
                limit instanceof TokenBucket bucket && bucket.warmUp() == null && bucket.whoWaits() == WhoWaits.CALLER;
            case LEAKY_QUEUE ->
                limit instanceof TokenBucket bucket && bucket.burstSeconds() == 0 && bucket.minCapacity() == 1;
            case FIXED_WINDOW -> limit instanceof FixedWindow;
            case SLIDING_LOG -> limit instanceof SlidingLog;
            case SLIDING_COUNTER -> limit instanceof SlidingCounter;
            case CONCURRENT -> limit instanceof ConcurrencyLimit;
        };
    }

    /**
     * A limit with the numbers that are set.
     *
     * @throws IllegalArgumentException if they are out of range, or not for this kind of limit
     */
    @SuppressWarnings("unchecked") // Each kind stays.
    static <L extends Limit<?>> L applied(L own, LiveSettings settings) {
        LiveKind kind = settings.kind();
        LiveKind ownKind = kindOf(own);
        if (kind != null && !isOf(kind, own) && (ownKind != null || !settings.hasNumbers())) {
            throw new IllegalArgumentException("kind " + kind + " cannot be applied to " + own
                    + ": a kind cannot be changed live, because the state of one means nothing to another; "
                    + (ownKind == null ? "leave the kind out" : "use kind " + ownKind));
        }
        if (settings.timeout() != null && isWindow(own)) {
            throw new IllegalArgumentException("timeout " + settings.timeout() + " has no effect on kind " + ownKind
                    + ", whose calls never wait: leave it out");
        }
        if (!settings.hasNumbers()) {
            return own;
        }
        if (own instanceof TokenBucket bucket) {
            return (L) bucket(bucket, settings, kind == null ? meant(bucket, settings) : kind);
        }
        if (own instanceof FixedWindow window) {
            checkOnly(settings, LiveKind.FIXED_WINDOW, "limit", "period");
            return (L) new FixedWindow(
                    or(settings.limit(), window.limit()), or(settings.period(), window.period()), window.zone());
        }
        if (own instanceof SlidingLog sliding) {
            checkOnly(settings, LiveKind.SLIDING_LOG, "limit", "period");
            return (L) SlidingLog.of(or(settings.limit(), sliding.limit()), or(settings.period(), sliding.period()));
        }
        if (own instanceof SlidingCounter sliding) {
            checkOnly(settings, LiveKind.SLIDING_COUNTER, "limit", "period");
            return (L)
                    SlidingCounter.of(or(settings.limit(), sliding.limit()), or(settings.period(), sliding.period()));
        }
        if (own instanceof ConcurrencyLimit held) {
            checkOnly(settings, LiveKind.CONCURRENT, "limit");
            return (L) new ConcurrencyLimit(or(settings.limit(), held.limit()), held.leaseTime());
        }
        throw new IllegalArgumentException("the numbers of a limit of the application's own (" + own
                + ") cannot be changed live; only enforce, timeout and failurePolicy can");
    }

    private static boolean isWindow(Limit<?> limit) {
        return limit instanceof FixedWindow || limit instanceof SlidingLog || limit instanceof SlidingCounter;
    }

    /** The kind of numbers without one: those of a queue keep or change how many calls wait. */
    private static LiveKind meant(TokenBucket own, LiveSettings settings) {
        boolean queue = kindOf(own) == LiveKind.LEAKY_QUEUE && settings.capacity() == null && settings.burst() == null;
        return queue ? LiveKind.LEAKY_QUEUE : LiveKind.TOKEN_BUCKET;
    }

    private static TokenBucket bucket(TokenBucket own, LiveSettings settings, LiveKind kind) {
        double rate = or(settings.rate(), own.permitsPerSecond());
        if (kind == LiveKind.LEAKY_QUEUE) {
            checkOnly(settings, kind, "rate", "limit");
            double waiting = own.maxWaitMicros() * own.permitsPerSecond() / 1e6;
            int limit = or(settings.limit(), (int) Math.min(Integer.MAX_VALUE, Math.round(waiting)));
            return own.withRate(rate).maxWait(LeakyBucket.queue(rate, limit).maxWait());
        }
        if (kind == LiveKind.LEAKY_BUCKET) {
            checkOnly(settings, kind, "rate", "limit");
            return settings.limit() == null
                    ? own.withRate(rate)
                    : own.withRateAndCapacity(rate, (double) settings.limit());
        }
        checkOnly(settings, kind, "rate", "capacity", "burst");
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

    private static void checkOnly(LiveSettings settings, LiveKind kind, String... allowed) {
        checkOnly("rate", settings.rate(), kind, allowed);
        checkOnly("capacity", settings.capacity(), kind, allowed);
        checkOnly("burst", settings.burst(), kind, allowed);
        checkOnly("limit", settings.limit(), kind, allowed);
        checkOnly("period", settings.period(), kind, allowed);
    }

    private static void checkOnly(String setting, @Nullable Object value, LiveKind kind, String... allowed) {
        if (value != null && !java.util.Arrays.asList(allowed).contains(setting)) {
            throw new IllegalArgumentException(setting + " " + value + " has no effect on kind " + kind + ", which has "
                    + String.join(", ", allowed));
        }
    }

    private static <T> T or(@Nullable T set, T own) {
        return set == null ? own : set;
    }

    /**
     * Checks settings of a name without limiters here.
     *
     * @throws IllegalArgumentException if they are out of range, or have numbers without a kind
     */
    static void checkWithoutLimiter(String name, LiveSettings settings) {
        LiveKind kind = settings.kind();
        if (kind == null) {
            if (settings.hasNumbers()) {
                throw new IllegalArgumentException("kind must be set for the numbers of '" + name
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

    /** A limit whose own numbers fit any settings that are possible. */
    private static Limit<?> prototype(LiveKind kind, LiveSettings settings) {
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
        double permits = (Double.isNaN(capacity) ? 1 : capacity) + or(settings.limit(), 1);
        return Math.min(1e9, Math.max(1, Math.max(rate, permits / 1e6)));
    }

    /** The kind of a limit; {@code null} for one of the application's own. */
    public static @Nullable LiveKind kindOf(Limit<?> limit) {
        if (limit instanceof TokenBucket bucket) {
            boolean queue =
                    isOf(LiveKind.LEAKY_QUEUE, bucket) && !bucket.maxWait().equals(TokenBucket.DEFAULT_MAX_WAIT);
            return queue ? LiveKind.LEAKY_QUEUE : LiveKind.TOKEN_BUCKET;
        }
        for (LiveKind kind : LiveKind.values()) {
            if (isOf(kind, limit)) {
                return kind;
            }
        }
        return null;
    }

    /** The numbers of a limit, as a live limit would set them. */
    public static LiveSettings of(Limit<?> limit) {
        LiveKind kind = kindOf(limit);
        if (kind == null) {
            return LiveSettings.NONE;
        }
        LiveSettings settings = LiveSettings.of(kind);
        if (limit instanceof TokenBucket bucket) {
            settings = settings.rate(bucket.permitsPerSecond());
            if (kind == LiveKind.LEAKY_QUEUE) {
                double waiting = bucket.maxWaitMicros() * bucket.permitsPerSecond() / 1e6;
                return settings.limit((int) Math.min(Integer.MAX_VALUE, Math.round(waiting)));
            }
            if (bucket.warmUp() != null) {
                return settings;
            }
            return bucket.minCapacity() > 0 && bucket.minCapacity() >= bucket.maxPermits()
                    ? settings.capacity(bucket.maxPermits())
                    : settings.burst(Duration.ofNanos(Math.round(bucket.burstSeconds() * 1e9)));
        }
        if (limit instanceof FixedWindow window) {
            return settings.limit(window.limit()).period(window.period());
        }
        if (limit instanceof SlidingLog sliding) {
            return settings.limit(sliding.limit()).period(sliding.period());
        }
        if (limit instanceof SlidingCounter sliding) {
            return settings.limit(sliding.limit()).period(sliding.period());
        }
        return settings.limit((int) limit.capacity());
    }
}
