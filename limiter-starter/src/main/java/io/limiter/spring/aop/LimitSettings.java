package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What configuration says about the limits of one name; {@code null} where it says nothing, which leaves what the
 * annotation says. Ranges are those of the annotations and of the limits in
 * {@link io.limiter.algorithm}.
 *
 * @param kind {@code token-bucket}, {@code fixed-window}, {@code sliding-log}, {@code sliding-counter},
 *     {@code leaky-bucket}, {@code leaky-queue} or {@code concurrent}; a limit of another kind than its annotation takes all its numbers from
 *     here
 * @param rate permits per second, of a token bucket or a leaky one
 * @param burst for how many seconds a token bucket keeps unused permits
 * @param warmUp how long a cold token bucket takes to come up to its rate; it has no burst then
 * @param timeout how long a call of a token bucket or a concurrency limit waits for its permits
 * @param expire how long an unused token bucket is kept at the least
 * @param leasePermits how many permits of a token bucket an instance may take ahead; 0 for none
 * @param leaseTime how long it keeps them
 * @param limit the most permits in a window; what a leaky bucket holds, how many wait in a leaky queue, or how many calls are
 *     under way under a concurrency limit
 * @param period the length of a window
 * @param zone to whose clocks a fixed window is aligned
 * @param lease after how long the place of a crashed instance comes back under a concurrency limit
 * @param enforce whether the limit refuses anybody
 * @param failurePolicy what it answers when Redis does not decide
 */
public record LimitSettings(
        @Nullable String kind,
        @Nullable Double rate,
        @Nullable Double burst,
        @Nullable Duration warmUp,
        @Nullable Duration timeout,
        @Nullable Duration expire,
        @Nullable Integer leasePermits,
        @Nullable Duration leaseTime,
        @Nullable Integer limit,
        @Nullable Duration period,
        @Nullable ZoneId zone,
        @Nullable Duration lease,
        @Nullable Boolean enforce,
        @Nullable FailurePolicy failurePolicy) {

    /** @throws IllegalArgumentException if there is no such kind, or it does not use one of the numbers */
    public LimitSettings {
        if (kind != null) {
            LimitKinds.named(kind)
                    .checkUses(names(
                            rate, burst, warmUp, timeout, expire, leasePermits, leaseTime, limit, period, zone, lease));
        }
    }

    /**
     * These, and where they say nothing, what others of the same kind say.
     *
     * @throws IllegalArgumentException if their kind does not use one of these numbers
     */
    LimitSettings over(LimitSettings others) {
        return new LimitSettings(
                others.kind,
                first(rate, others.rate),
                warmUp == null ? first(burst, others.burst) : burst,
                first(warmUp, others.warmUp),
                first(timeout, others.timeout),
                first(expire, others.expire),
                first(leasePermits, others.leasePermits),
                first(leaseTime, others.leaseTime),
                first(limit, others.limit),
                first(period, others.period),
                first(zone, others.zone),
                first(lease, others.lease),
                first(enforce, others.enforce),
                first(failurePolicy, others.failurePolicy));
    }

    /**
     * The limit of these settings alone. Without a kind it is a token bucket if there is a rate, otherwise a fixed window.
     *
     * @throws IllegalArgumentException if a number is missing, out of its range or of no use, or if the limit would never
     *     grant a single permit
     */
    public Limit<?> toLimit() {
        if (LimitKinds.CONCURRENT.equals(kind)) {
            throw new IllegalArgumentException(
                    "kind concurrent is for a @ConcurrentLimit, not for a limit of permits that are spent: use another kind");
        }
        String known = kind != null ? kind : rate != null ? LimitKinds.TOKEN_BUCKET : LimitKinds.FIXED_WINDOW;
        Limit<?> limit = LimitKinds.build(new LimitSettings(
                known,
                rate,
                burst,
                warmUp,
                timeout,
                expire,
                leasePermits,
                leaseTime,
                this.limit,
                period,
                zone,
                lease,
                enforce,
                failurePolicy));
        LimitKinds.checkCanBeGranted(1, limit);
        return limit;
    }

    static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }

    private static Set<String> names(@Nullable Object... values) {
        String[] names = {
            "rate",
            "burst",
            "warm-up",
            "timeout",
            "expire",
            "lease-permits",
            "lease-time",
            "limit",
            "period",
            "zone",
            "lease"
        };
        Set<String> set = new LinkedHashSet<>();
        for (int i = 0; i < names.length; i++) {
            if (values[i] != null) {
                set.add(names[i]);
            }
        }
        return set;
    }
}
