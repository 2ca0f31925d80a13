package io.limiter.live;

import io.limiter.FailurePolicy;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a live limit overrides; {@code null} for what it leaves as it is. Immutable.
 *
 * <pre>{@code
 * LiveSettings.of(LiveKind.TOKEN_BUCKET).withRate(10)        // a burst in seconds scales, a capacity stays
 * LiveSettings.NONE.withEnforce(false)                       // of any kind
 * }</pre>
 */
public final class LiveSettings {

    /** Overrides nothing. */
    public static final LiveSettings NONE =
            new LiveSettings(null, null, null, null, null, null, null, null, null, null);

    /** For one key: it is not limited, and counted. */
    public static final LiveSettings EXEMPT = of(Access.EXEMPT);

    /** For one key: it is rejected at once, until the live limit expires. */
    public static final LiveSettings BANNED = of(Access.BANNED);

    private final @Nullable LiveKind kind;
    private final @Nullable Double rate;
    private final @Nullable Double capacity;
    private final @Nullable Duration burst;
    private final @Nullable Long limit;
    private final @Nullable Duration period;
    private final @Nullable Duration timeout;
    private final @Nullable Boolean enforce;
    private final @Nullable FailurePolicy failurePolicy;
    private final @Nullable Access access;

    private LiveSettings(
            @Nullable LiveKind kind,
            @Nullable Double rate,
            @Nullable Double capacity,
            @Nullable Duration burst,
            @Nullable Long limit,
            @Nullable Duration period,
            @Nullable Duration timeout,
            @Nullable Boolean enforce,
            @Nullable FailurePolicy failurePolicy,
            @Nullable Access access) {
        if (capacity != null && burst != null) {
            throw new IllegalArgumentException("capacity " + capacity + " (permits) and burst " + burst
                    + " both say how many unused permits are kept: leave one of them out");
        }
        if (timeout != null && (timeout.isNegative() || timeout.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("timeout must be between PT0S and " + LONGEST + ", was " + timeout);
        }
        if (access != null
                && !(kind == null
                        && rate == null
                        && capacity == null
                        && burst == null
                        && limit == null
                        && period == null
                        && timeout == null
                        && enforce == null
                        && failurePolicy == null)) {
            throw new IllegalArgumentException("access " + access + " decides alone: leave the other settings out");
        }
        this.kind = kind;
        this.rate = rate;
        this.capacity = capacity;
        this.burst = burst;
        this.limit = limit;
        this.period = period;
        this.timeout = timeout;
        this.enforce = enforce;
        this.failurePolicy = failurePolicy;
        this.access = access;
    }

    /** All settings, as they are stored; {@code null} for what is left as it is. */
    public static LiveSettings of(
            @Nullable LiveKind kind,
            @Nullable Double rate,
            @Nullable Double capacity,
            @Nullable Duration burst,
            @Nullable Long limit,
            @Nullable Duration period,
            @Nullable Duration timeout,
            @Nullable Boolean enforce,
            @Nullable FailurePolicy failurePolicy,
            @Nullable Access access) {
        return new LiveSettings(kind, rate, capacity, burst, limit, period, timeout, enforce, failurePolicy, access);
    }

    /**
     * Which the parameters are for, and which the limiters must be; required for the parameters of a name without
     * limiters here.
     */
    public @Nullable LiveKind kind() {
        return kind;
    }

    /** Permits per second of a token bucket, leaky bucket or leaky queue. */
    public @Nullable Double rate() {
        return rate;
    }

    /**
     * The capacity of a token bucket or a leaky bucket in permits, at least 1; most waiting in a leaky queue. It is not
     * known how many permits calls take: a kind of limit that rejects requests for more than its capacity rejects those
     * while the live limit holds.
     */
    public @Nullable Double capacity() {
        return capacity;
    }

    /** Capacity of a token bucket as a time, instead of capacity: the permits that are refilled in it. */
    public @Nullable Duration burst() {
        return burst;
    }

    /** Most permits in a window, or held at the same time. */
    public @Nullable Long limit() {
        return limit;
    }

    /** Length of a window. */
    public @Nullable Duration period() {
        return period;
    }

    /** How long calls of annotated methods and HTTP requests wait for permits. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Whether limits of annotations and HTTP rules reject; otherwise they are in shadow mode. */
    public @Nullable Boolean enforce() {
        return enforce;
    }

    /** Decides while Redis is unavailable. */
    public @Nullable FailurePolicy failurePolicy() {
        return failurePolicy;
    }

    /** The access of one key, and then alone: it is exempt or banned. */
    public @Nullable Access access() {
        return access;
    }

    /** How one key of a limit is treated instead of being limited. */
    public enum Access {
        /** Granted without taking permits. */
        EXEMPT,
        /** Rejected at once, without a wait, until the live limit expires. */
        BANNED
    }

    private static final Duration LONGEST = Duration.ofDays(1000);

    /** Nothing yet, for limiters of one kind. */
    public static LiveSettings of(LiveKind kind) {
        return new LiveSettings(
                Objects.requireNonNull(kind, "kind"), null, null, null, null, null, null, null, null, null);
    }

    private static LiveSettings of(Access access) {
        return new LiveSettings(null, null, null, null, null, null, null, null, null, access);
    }

    public LiveSettings withRate(double newRate) {
        return new LiveSettings(kind, newRate, capacity, burst, limit, period, timeout, enforce, failurePolicy, access);
    }

    /** With a capacity in permits instead of a burst. */
    public LiveSettings withCapacity(double newCapacity) {
        return new LiveSettings(kind, rate, newCapacity, null, limit, period, timeout, enforce, failurePolicy, access);
    }

    /** With a burst instead of a capacity in permits. */
    public LiveSettings withBurst(Duration newBurst) {
        Objects.requireNonNull(newBurst, "burst");
        return new LiveSettings(kind, rate, null, newBurst, limit, period, timeout, enforce, failurePolicy, access);
    }

    public LiveSettings withLimit(long newLimit) {
        return new LiveSettings(kind, rate, capacity, burst, newLimit, period, timeout, enforce, failurePolicy, access);
    }

    public LiveSettings withPeriod(Duration newPeriod) {
        Objects.requireNonNull(newPeriod, "period");
        return new LiveSettings(kind, rate, capacity, burst, limit, newPeriod, timeout, enforce, failurePolicy, access);
    }

    public LiveSettings withTimeout(Duration newTimeout) {
        Objects.requireNonNull(newTimeout, "timeout");
        return new LiveSettings(kind, rate, capacity, burst, limit, period, newTimeout, enforce, failurePolicy, access);
    }

    public LiveSettings withEnforce(boolean newEnforce) {
        return new LiveSettings(kind, rate, capacity, burst, limit, period, timeout, newEnforce, failurePolicy, access);
    }

    public LiveSettings withFailurePolicy(FailurePolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return new LiveSettings(kind, rate, capacity, burst, limit, period, timeout, enforce, policy, access);
    }

    /** Whether it overrides a parameter that only some kinds of limit have. */
    public boolean hasParameters() {
        return rate != null || capacity != null || burst != null || limit != null || period != null;
    }

    /** Whether it overrides nothing. */
    public boolean isEmpty() {
        return !hasParameters() && timeout == null && enforce == null && failurePolicy == null && access == null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveSettings that
                && Objects.equals(kind, that.kind)
                && Objects.equals(rate, that.rate)
                && Objects.equals(capacity, that.capacity)
                && Objects.equals(burst, that.burst)
                && Objects.equals(limit, that.limit)
                && Objects.equals(period, that.period)
                && Objects.equals(timeout, that.timeout)
                && Objects.equals(enforce, that.enforce)
                && Objects.equals(failurePolicy, that.failurePolicy)
                && Objects.equals(access, that.access);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, rate, capacity, burst, limit, period, timeout, enforce, failurePolicy, access);
    }

    @Override
    public String toString() {
        return "LiveSettings[kind=" + kind + ", rate=" + rate + ", capacity=" + capacity + ", burst=" + burst
                + ", limit=" + limit + ", period=" + period + ", timeout=" + timeout + ", enforce=" + enforce
                + ", failurePolicy=" + failurePolicy + ", access=" + access + "]";
    }
}
