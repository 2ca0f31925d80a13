package io.limiter.spring.settings;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.ConstructorBinding;
import org.springframework.boot.convert.DurationUnit;

/**
 * The settings of one limit, as an annotation or configuration gives them; {@code null} where they are not set. In
 * configuration, durations that are plain numbers are seconds, as in the annotations.
 *
 * @param kind token-bucket, fixed-window, sliding-log, sliding-counter, leaky-bucket, leaky-queue or concurrent
 * @param rate permits of a token bucket or a leaky bucket per second, or per period
 * @param per the period that rate is for; a second if not set
 * @param burst capacity of a token bucket in seconds
 * @param capacity capacity of a token bucket in permits, instead of burst
 * @param warmUp how long a cold token bucket takes to reach its rate; it has neither burst nor capacity then
 * @param timeout how long a call waits for permits of a token bucket or of a concurrency limit
 * @param expire how long the state of an unused token bucket is kept at least
 * @param prefetchPermits how many permits of a token bucket an instance may prefetch; 0 for none
 * @param prefetchTime how long an instance keeps prefetched permits
 * @param limit most permits in a window; capacity of a leaky bucket, most waiting calls of a leaky queue, or most
 *     concurrent calls
 * @param period length of a window
 * @param zone time zone whose midnight a fixed window is aligned to
 * @param lease how long a concurrency permit of a crashed instance is held
 * @param enforce whether the limit rejects calls; if not, it is in shadow mode
 * @param failurePolicy what the limit answers while Redis is unavailable
 * @param failureShare share of the limit that each instance decides under with the policy local, more than 0 and at most 1
 */
public record LimitSettings(
        @Nullable String kind,
        @Nullable Double rate,
        @Nullable Duration per,
        @Nullable Double burst,
        @Nullable Integer capacity,
        @Nullable Duration warmUp,
        @Nullable Duration timeout,
        @Nullable Duration expire,
        @Nullable Integer prefetchPermits,
        @Nullable Duration prefetchTime,
        @Nullable Integer limit,
        @Nullable Duration period,
        @Nullable ZoneId zone,
        @Nullable Duration lease,
        @Nullable Boolean enforce,
        FailurePolicy.@Nullable Action failurePolicy,
        @Nullable Double failureShare) {

    private static final Duration LONGEST = Duration.ofDays(1000);

    /** As configuration gives them. The annotations' burst is no {@code Duration}, because thirds of a second are exact there. */
    @ConstructorBinding
    LimitSettings(
            @Nullable String kind,
            @Nullable Double rate,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration per,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration burst,
            @Nullable Integer capacity,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration warmUp,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration timeout,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration expire,
            @Nullable Integer prefetchPermits,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration prefetchTime,
            @Nullable Integer limit,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration period,
            @Nullable ZoneId zone,
            @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration lease,
            @Nullable Boolean enforce,
            FailurePolicy.@Nullable Action failurePolicy,
            @Nullable Double failureShare) {
        this(
                kind,
                rate,
                per,
                burst == null ? null : burst.toSeconds() + burst.getNano() / 1e9,
                capacity,
                warmUp,
                timeout,
                expire,
                prefetchPermits,
                prefetchTime,
                limit,
                period,
                zone,
                lease,
                enforce,
                failurePolicy,
                failureShare);
    }

    /**
     * These settings, if each of them is allowed.
     *
     * @param property what the names of the settings start with, such as {@code limiter.limits.search}
     * @throws InvalidSettingException naming the setting that is out of range, unknown or without effect
     */
    public LimitSettings checked(String property) {
        SettingChecks.range(property + ".rate", rate, 1e-8, 1e9);
        SettingChecks.range(property + ".per", per, Duration.ofMillis(1), LONGEST);
        SettingChecks.range(property + ".capacity", capacity, 1, Integer.MAX_VALUE);
        // Compared as a duration, so that the message gives the range as one can write it.
        Duration burstTime = burst == null ? null : Duration.ofSeconds(burst.longValue(), nanos(burst));
        SettingChecks.range(property + ".burst", burstTime, Duration.ofNanos(1), LONGEST);
        SettingChecks.range(property + ".warm-up", warmUp, Duration.ofNanos(1000), LONGEST);
        SettingChecks.range(property + ".timeout", timeout, Duration.ZERO, LONGEST);
        SettingChecks.range(property + ".expire", expire, Duration.ofMillis(1), LONGEST);
        SettingChecks.range(property + ".prefetch-permits", prefetchPermits, 0, 1_000_000_000);
        SettingChecks.range(property + ".prefetch-time", prefetchTime, Duration.ofMillis(1), Duration.ofHours(1));
        SettingChecks.range(property + ".limit", limit, 1, Integer.MAX_VALUE);
        SettingChecks.range(property + ".lease", lease, Duration.ofMillis(100), LONGEST);
        SettingChecks.range(property + ".period", period, Duration.ofMillis(1), LONGEST);
        SettingChecks.failurePolicy(
                property + ".failure-policy", failurePolicy, property + ".failure-share", failureShare);
        if (kind != null) {
            try {
                LimitKinds.named(kind).checkUses(numbers());
            } catch (IllegalArgumentException e) {
                String problem = property + "." + e.getMessage();
                // It begins with the name of the setting.
                throw new InvalidSettingException(
                        problem.substring(0, problem.indexOf(' ', property.length())), problem, e);
            }
        }
        return this;
    }

    private static long nanos(double seconds) {
        return Math.round((seconds - (long) seconds) * 1e9);
    }

    /**
     * These settings, and where one is not set, that of others of the same kind.
     *
     * @throws IllegalArgumentException if their kind has no use for one of these
     */
    public LimitSettings over(LimitSettings others) {
        if (others.kind != null) {
            LimitKinds.named(others.kind).checkUses(numbers());
        }
        boolean ownCapacity = warmUp != null || burst != null || capacity != null;
        boolean ownFailure = failurePolicy != null || failureShare != null;
        return new LimitSettings(
                others.kind,
                first(rate, others.rate),
                first(per, others.per),
                ownCapacity ? burst : others.burst,
                ownCapacity ? capacity : others.capacity,
                first(warmUp, others.warmUp),
                first(timeout, others.timeout),
                first(expire, others.expire),
                first(prefetchPermits, others.prefetchPermits),
                first(prefetchTime, others.prefetchTime),
                first(limit, others.limit),
                first(period, others.period),
                first(zone, others.zone),
                first(lease, others.lease),
                first(enforce, others.enforce),
                ownFailure ? failurePolicy : others.failurePolicy,
                ownFailure ? failureShare : others.failureShare);
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
        LimitKinds.named(known).checkUses(numbers());
        Limit<?> limit = LimitKinds.build(known, this);
        LimitKinds.checkCanBeGranted(1, limit, timeout(limit));
        return limit;
    }

    /**
     * How long a call waits for permits.
     *
     * @param limit the one of these settings
     */
    public Duration timeout(Limit<?> limit) {
        if (LimitKinds.LEAKY_QUEUE.equals(kind) && limit instanceof TokenBucket queue) {
            return queue.maxWait();
        }
        return timeout == null ? Duration.ZERO : timeout;
    }

    /** What the limit answers while Redis is unavailable; {@code null} for what the application says. */
    public @Nullable FailurePolicy onFailure() {
        return SettingChecks.failurePolicy("failure-policy", failurePolicy, "failure-share", failureShare);
    }

    /** The rate in permits per second; {@code null} if it is not set. */
    @Nullable
    Double permitsPerSecond() {
        return rate == null || per == null ? rate : Double.valueOf(rate / (per.toNanos() / 1e9));
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }

    /** The names of those settings that are numbers of the limit itself, and set. */
    private Set<String> numbers() {
        Map<String, @Nullable Object> numbers = new LinkedHashMap<>();
        numbers.put("rate", rate);
        numbers.put("per", per);
        numbers.put("burst", burst);
        numbers.put("capacity", capacity);
        numbers.put("warm-up", warmUp);
        numbers.put("timeout", timeout);
        numbers.put("expire", expire);
        numbers.put("prefetch-permits", prefetchPermits);
        numbers.put("prefetch-time", prefetchTime);
        numbers.put("limit", limit);
        numbers.put("period", period);
        numbers.put("zone", zone);
        numbers.put("lease", lease);
        numbers.values().removeIf(value -> value == null);
        return numbers.keySet();
    }
}
