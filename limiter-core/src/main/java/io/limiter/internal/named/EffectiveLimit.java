package io.limiter.internal.named;

import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.resilience.Failover;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import org.jspecify.annotations.Nullable;

/**
 * The limit and the engine that decide a request.
 *
 * @param limit the limit definition
 * @param step how it decides
 * @param failover decides, by the engine or else by the failure policy
 * @param leave how many permits are left to others; {@code null} for none
 * @param leftPermits how many that are of the capacity in effect
 * @param warnAt how many permits of a window are used when it warns; {@code null} if it does not
 */
public record EffectiveLimit<L extends AnyLimit>(
        L limit,
        LimitStep<?> step,
        Failover failover,
        @Nullable Share leave,
        long leftPermits,
        @Nullable Share warnAt) {

    public EffectiveLimit(L limit, Failover failover) {
        this(limit, failover, null, null);
    }

    /** @param warnAt only of a window */
    EffectiveLimit(L limit, Failover failover, @Nullable Share leave, @Nullable Share warnAt) {
        this(
                limit,
                step(limit, warnAt),
                failover,
                leave,
                // A live limit may have made the capacity too small.
                leave == null ? 0 : Math.min(leave.of(limit.capacity()), limit.capacity() - 1),
                warnAt);
    }

    /** A number stays below the limit, which may have become lower. */
    private static LimitStep<?> step(AnyLimit limit, @Nullable Share warnAt) {
        return warnAt != null && limit instanceof FixedWindow window
                ? window.withWarnAt(Math.min(warnAt.of(window.limit()), window.limit()))
                : limit.asStep();
    }

    /** Another limit or failure policy of the same limiter. */
    EffectiveLimit<L> with(L newLimit, Failover newFailover) {
        return new EffectiveLimit<>(newLimit, newFailover, leave, warnAt);
    }

    /** Whether a request with a timeout reserves permits; otherwise it is decided again. Callers who leave some do not reserve. */
    public boolean reservesAhead() {
        // This is so even if a live limit has made the capacity so small that no permits can be left.
        return leave == null && step.reservesAhead();
    }

    /** The request to take permits. */
    public Request take(long permits, long timeoutMicros) {
        return leaving(Request.take(permits, reservesAhead() ? timeoutMicros : 0));
    }

    /** A request as these limiters send it. */
    public Request leaving(Request request) {
        return leftPermits == 0 ? request : request.withLeave(leftPermits);
    }

    /** The decision if the key is exempt or banned; {@code null} for all other keys. */
    public @Nullable Outcome exemptOrBanned(Request request) {
        return failover.engine() instanceof AccessEngine access ? access.decide(step, request) : null;
    }
}
