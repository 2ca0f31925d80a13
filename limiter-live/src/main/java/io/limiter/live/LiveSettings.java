package io.limiter.live;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.LimitKind;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that a live limit overrides, by name, and {@code null} for those that it does not change. Immutable.
 *
 * <pre>{@code
 * LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10)       // a burst in seconds scales, a capacity stays
 * LiveSettings.NONE.withEnforce(false)                       // of any kind
 * }</pre>
 */
public final class LiveSettings {

    /** In this order, also where they are stored. */
    private static final List<String> NAMES = List.of(
            "kind", "rate", "capacity", "burst", "limit", "period", "timeout", "enforce", "onFailure", "access");

    /** The parameters that only some kinds of limit have. */
    private static final List<String> PARAMETERS = List.of("rate", "capacity", "burst", "limit", "period");

    private static final Duration LONGEST = Duration.ofDays(1000);

    /** Overrides nothing. */
    public static final LiveSettings NONE = new LiveSettings(Map.of());

    /** For one key: it is not limited, and counted. */
    public static final LiveSettings EXEMPT = NONE.with("access", Access.EXEMPT);

    /** For one key, which is rejected immediately until the live limit expires. */
    public static final LiveSettings BANNED = NONE.with("access", Access.BANNED);

    private final Map<String, Object> values;

    private LiveSettings(Map<String, Object> set) {
        Map<String, Object> ordered = new LinkedHashMap<>();
        for (String name : NAMES) {
            Object value = set.get(name);
            if (value != null) {
                ordered.put(name, value);
            }
        }
        this.values = Collections.unmodifiableMap(ordered);
        if (capacity() != null && burst() != null) {
            throw new IllegalArgumentException("capacity " + capacity() + " (permits) and burst " + burst()
                    + " both say how many unused permits are kept: leave one of them out");
        }
        Duration timeout = timeout();
        if (timeout != null && (timeout.isNegative() || timeout.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("timeout must be between PT0S and " + LONGEST + ", was " + timeout);
        }
        if (access() != null && values.size() > 1) {
            throw new IllegalArgumentException("access " + access() + " decides alone: leave the other settings out");
        }
    }

    /** Nothing yet, for limiters of one kind. */
    public static LiveSettings of(LimitKind kind) {
        return NONE.with("kind", Objects.requireNonNull(kind, "kind"));
    }

    /**
     * These settings, by the names of the accessors, and {@code onFailure} for {@link #failurePolicy()}: each as its accessor returns it,
     * or as JSON has it. There a duration is a number of seconds, or a text such as {@code PT1M}; a kind, policy or access is a text.
     *
     * @param values those that are {@code null} are left as they are
     * @throws IllegalArgumentException if one of them is unknown, of another type, or out of range
     */
    public static LiveSettings of(Map<String, ? extends @Nullable Object> values) {
        Map<String, Object> read = new LinkedHashMap<>();
        Objects.requireNonNull(values, "values").forEach((name, value) -> {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException(
                        "there is no setting '" + name + "', use some of " + String.join(", ", NAMES));
            }
            if (value != null) {
                read.put(name, read(name, value));
            }
        });
        return new LiveSettings(read);
    }

    private static Object read(String name, Object value) {
        return switch (name) {
            case "kind" -> value instanceof LimitKind ? value : LimitKind.of(text(name, value));
            case "onFailure" -> value instanceof FailurePolicy ? value : policy(name, text(name, value));
            case "access" -> value instanceof Access ? value : access(text(name, value));
            case "burst", "period", "timeout" -> value instanceof Duration ? value : duration(name, value);
            case "limit" -> {
                if (value instanceof Integer || value instanceof Long) {
                    yield ((Number) value).longValue();
                }
                throw wrong(name, "a whole number of at most " + Long.MAX_VALUE, value);
            }
            case "enforce" -> {
                if (value instanceof Boolean) {
                    yield value;
                }
                throw wrong(name, "true or false", value);
            }
            default -> {
                if (value instanceof Number number) {
                    yield number.doubleValue();
                }
                throw wrong(name, "a number", value);
            }
        };
    }

    private static FailurePolicy policy(String name, String text) {
        try {
            return FailurePolicy.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + " " + e.getMessage(), e);
        }
    }

    private static String text(String name, Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw wrong(name, "a text", value);
    }

    private static Access access(String name) {
        return Arrays.stream(Access.values())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> wrong("access", "one of " + Arrays.toString(Access.values()), name));
    }

    private static Duration duration(String name, Object value) {
        if (value instanceof Number number) {
            double seconds = number.doubleValue();
            // Written so that NaN fails.
            if (!(seconds >= 0 && seconds <= Integer.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        name + " must be between 0 and " + Integer.MAX_VALUE + " seconds, was " + value);
            }
            // Exact, where a double times 1e9 is not.
            return Duration.ofNanos(
                    BigDecimal.valueOf(seconds).movePointRight(9).longValue());
        }
        try {
            return Duration.parse(text(name, value));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    name + " must be a duration (ISO-8601), such as PT1M, was '" + value + "'", e);
        }
    }

    private static IllegalArgumentException wrong(String name, String allowed, Object value) {
        return new IllegalArgumentException(name + " must be " + allowed + ", was '" + value + "'");
    }

    /** The settings that are set, by name, each as its accessor returns it. {@link #of(Map)} reads them. */
    public Map<String, Object> values() {
        return values;
    }

    /**
     * Which the parameters are for, and which the limiters must be; required for the parameters of a name without
     * limiters here.
     */
    public @Nullable LimitKind kind() {
        return (LimitKind) values.get("kind");
    }

    /** Permits per second of a token bucket, leaky bucket or leaky queue. */
    public @Nullable Double rate() {
        return (Double) values.get("rate");
    }

    /**
     * The capacity of a token bucket or a leaky bucket in permits, at least 1; most waiting in a leaky queue. It is not
     * known how many permits calls take: a kind of limit that rejects requests for more than its capacity rejects those
     * while the live limit holds.
     */
    public @Nullable Double capacity() {
        return (Double) values.get("capacity");
    }

    /** Capacity of a token bucket as a time, instead of capacity: the permits that are refilled in it. */
    public @Nullable Duration burst() {
        return (Duration) values.get("burst");
    }

    /** Most permits in a window, or held at the same time. */
    public @Nullable Long limit() {
        return (Long) values.get("limit");
    }

    /** Length of a window. */
    public @Nullable Duration period() {
        return (Duration) values.get("period");
    }

    /** How long calls of annotated methods and HTTP requests wait for permits. */
    public @Nullable Duration timeout() {
        return (Duration) values.get("timeout");
    }

    /** Whether limits of annotations and HTTP rules reject. Otherwise, they are in shadow mode. */
    public @Nullable Boolean enforce() {
        return (Boolean) values.get("enforce");
    }

    /** Decides while Redis is unavailable. */
    public @Nullable FailurePolicy failurePolicy() {
        return (FailurePolicy) values.get("onFailure");
    }

    /** The access of one key, and then alone: it is exempt or banned. */
    public @Nullable Access access() {
        return (Access) values.get("access");
    }

    /** How one key of a limit is treated instead of being limited. */
    public enum Access {
        /** Granted without taking permits. */
        EXEMPT,
        /** Rejected immediately, without a wait, until the live limit expires. */
        BANNED
    }

    public LiveSettings withRate(double newRate) {
        return with("rate", newRate);
    }

    /** With a capacity in permits instead of a burst. */
    public LiveSettings withCapacity(double newCapacity) {
        return without("burst").with("capacity", newCapacity);
    }

    /** With a burst instead of a capacity in permits. */
    public LiveSettings withBurst(Duration newBurst) {
        return without("capacity").with("burst", newBurst);
    }

    public LiveSettings withLimit(long newLimit) {
        return with("limit", newLimit);
    }

    public LiveSettings withPeriod(Duration newPeriod) {
        return with("period", newPeriod);
    }

    public LiveSettings withTimeout(Duration newTimeout) {
        return with("timeout", newTimeout);
    }

    public LiveSettings withEnforce(boolean newEnforce) {
        return with("enforce", newEnforce);
    }

    public LiveSettings withFailurePolicy(FailurePolicy policy) {
        return with("onFailure", Objects.requireNonNull(policy, "policy"));
    }

    private LiveSettings with(String name, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(values);
        changed.put(name, Objects.requireNonNull(value, name));
        return new LiveSettings(changed);
    }

    private LiveSettings without(String name) {
        Map<String, Object> changed = new LinkedHashMap<>(values);
        changed.remove(name);
        return new LiveSettings(changed);
    }

    /** Whether it overrides a parameter that only some kinds of limit have. */
    public boolean hasParameters() {
        return PARAMETERS.stream().anyMatch(values::containsKey);
    }

    /** Whether it overrides nothing. */
    public boolean isEmpty() {
        return values.keySet().stream().allMatch("kind"::equals);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "LiveSettings" + values;
    }
}
