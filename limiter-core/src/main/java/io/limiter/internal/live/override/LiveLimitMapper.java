package io.limiter.internal.live.override;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limits with the numbers of a live limit. The kind stays: state of one kind means nothing to another. */
public final class LiveLimitMapper {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private LiveLimitMapper() {}

    /**
     * A limit with the numbers that are set.
     *
     * @throws IllegalArgumentException if they are out of range, or not for this kind of limit
     */
    @SuppressWarnings("unchecked") // Each kind stays.
    static <L extends Limit<?>> L applied(L own, LiveSettings settings) {
        LiveKind kind = settings.kind();
        LiveKind ownKind = kindOf(own);
        if (kind != null && kind != ownKind && (ownKind != null || !settings.hasParameters())) {
            throw new IllegalArgumentException("kind " + kind + " cannot be applied to " + own
                    + ": a kind cannot be changed live, because the state of one means nothing to another; "
                    + (ownKind == null ? "leave the kind out" : "use kind " + ownKind));
        }
        if (settings.timeout() != null && isWindow(own)) {
            throw new IllegalArgumentException("timeout " + settings.timeout() + " has no effect on kind " + ownKind
                    + ", whose calls never wait: leave it out");
        }
        if (!settings.hasParameters()) {
            return own;
        }
        if (own instanceof TokenBucket bucket) {
            return (L) bucket(bucket, settings);
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

    private static TokenBucket bucket(TokenBucket own, LiveSettings settings) {
        double rate = or(settings.rate(), own.permitsPerSecond());
        if (own.kind() == TokenBucket.Kind.LEAKY_QUEUE) {
            checkOnly(settings, LiveKind.LEAKY_QUEUE, "rate", "limit");
            int limit = or(settings.limit(), waiting(own));
            return own.withRate(rate).maxWait(LeakyBucket.queue(rate, limit).maxWait());
        }
        if (own.kind() == TokenBucket.Kind.LEAKY_BUCKET) {
            checkOnly(settings, LiveKind.LEAKY_BUCKET, "rate", "limit");
            return settings.limit() == null
                    ? own.withRate(rate)
                    : own.withRateAndCapacity(rate, (double) settings.limit());
        }
        checkOnly(settings, LiveKind.TOKEN_BUCKET, "rate", "capacity", "burst");
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

    /** How many calls wait at most in a leaky queue. */
    private static int waiting(TokenBucket queue) {
        double waiting = queue.maxWaitMicros() * queue.permitsPerSecond() / 1e6;
        return (int) Math.min(Integer.MAX_VALUE, Math.round(waiting));
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
            if (settings.hasParameters()) {
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
            return switch (bucket.kind()) {
                case TOKEN_BUCKET -> LiveKind.TOKEN_BUCKET;
                case LEAKY_BUCKET -> LiveKind.LEAKY_BUCKET;
                case LEAKY_QUEUE -> LiveKind.LEAKY_QUEUE;
            };
        }
        if (limit instanceof FixedWindow) {
            return LiveKind.FIXED_WINDOW;
        }
        if (limit instanceof SlidingLog) {
            return LiveKind.SLIDING_LOG;
        }
        if (limit instanceof SlidingCounter) {
            return LiveKind.SLIDING_COUNTER;
        }
        return limit instanceof ConcurrencyLimit ? LiveKind.CONCURRENT : null;
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
            if (kind != LiveKind.TOKEN_BUCKET) {
                return settings.limit(
                        kind == LiveKind.LEAKY_QUEUE
                                ? waiting(bucket)
                                : (int) Math.min(Integer.MAX_VALUE, bucket.capacity()));
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
