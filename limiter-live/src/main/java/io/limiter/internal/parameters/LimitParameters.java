package io.limiter.internal.parameters;

import io.limiter.Prefetch;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.arithmetic.Ranges;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A limit as an annotation, properties, a plan or a live limit describes it: its kind, and what is set of it, by the names of the
 * properties. Immutable.
 */
public final class LimitParameters {

    private static final Duration LONGEST = Ranges.MAX_DURATION;

    /** Of a call in a leaky queue without a timeout: until its turn. No timeout can be set to as long. */
    public static final Duration UNTIL_ITS_TURN = LONGEST.plusNanos(1);

    /** How many unused permits a token bucket keeps, in three ways of which it has one. */
    private static final List<String> SIZES = List.of("burst", "capacity", "warm-up");

    /** What says how a unit of the calendar begins. */
    private static final List<String> CALENDAR = List.of("zone", "anchor");

    private final @Nullable LimitKind kind;
    private final Map<String, Object> values;

    private LimitParameters(@Nullable LimitKind kind, Map<String, Object> values) {
        this.kind = kind;
        this.values = Collections.unmodifiableMap(values);
    }

    /**
     * Nothing yet.
     *
     * @param kind {@code null} if nothing says it
     */
    public static LimitParameters of(@Nullable LimitKind kind) {
        return new LimitParameters(kind, Map.of());
    }

    /** What describes a limit; nothing if it is one of the application's own. */
    public static LimitParameters of(AnyLimit limit) {
        return LimitBuilder.describe(limit);
    }

    /** These parameters of this kind, whatever they were of. */
    public LimitParameters as(LimitKind newKind) {
        return new LimitParameters(newKind, values);
    }

    /**
     * With a value.
     *
     * @param name as in properties, such as {@code warm-up}
     * @param value a {@code Double} for a rate, {@link Per}, {@code Duration}, {@code ZoneId}, {@link Anchor}, and otherwise a whole
     *     number; {@code null} changes nothing
     */
    public LimitParameters with(String name, @Nullable Object value) {
        if (value == null) {
            return this;
        }
        Map<String, Object> changed = new TreeMap<>(values);
        changed.put(name, value);
        return new LimitParameters(kind, changed);
    }

    /**
     * These parameters, and where they are not set, those of a source of lower precedence. They replace all parameters of another kind. Burst,
     * capacity and warm-up replace one another, and a duration replaces the calendar with its zone and anchor.
     */
    public LimitParameters over(LimitParameters lower) {
        if (kind != null && lower.kind != null && kind != lower.kind) {
            return this;
        }
        Map<String, Object> merged = new TreeMap<>(lower.values);
        if (SIZES.stream().anyMatch(values::containsKey)) {
            merged.keySet().removeAll(SIZES);
        }
        Per per = per();
        if (per != null && per.unit() == null) {
            merged.keySet().removeAll(CALENDAR);
        }
        merged.putAll(values);
        return new LimitParameters(kind == null ? lower.kind : kind, merged);
    }

    /** The names of the parameters of a kind, in alphabetical order. */
    public static Set<String> namesOf(LimitKind kind) {
        return new TreeSet<>(
                switch (kind) {
                    case TOKEN_BUCKET ->
                        List.of(
                                "rate",
                                "per",
                                "burst",
                                "capacity",
                                "warm-up",
                                "timeout",
                                "expire",
                                "prefetch-time",
                                "prefetch-calls");
                    case FIXED_WINDOW -> List.of("limit", "per", "zone", "anchor", "timeout");
                    case SLIDING_LOG, SLIDING_COUNTER -> List.of("limit", "per", "timeout");
                    case LEAKY_BUCKET, LEAKY_QUEUE -> List.of("capacity", "rate", "per", "timeout");
                    case CONCURRENT -> List.of("limit", "lease", "timeout");
                });
    }

    /** What is wrong with each of them that is out of its range, or has no effect on the kind, by its name. */
    public Map<String, String> problems() {
        Map<String, String> problems = new LinkedHashMap<>();
        range(problems, "rate", TokenBucket.MIN_RATE, TokenBucket.MAX_RATE);
        range(problems, "capacity", 1L, TokenBucket.MAX_CAPACITY);
        range(problems, "burst", Duration.ofNanos(1), LONGEST);
        range(problems, "warm-up", Duration.ofNanos(1000), LONGEST);
        range(problems, "timeout", Duration.ZERO, LONGEST);
        range(problems, "expire", Duration.ofMillis(1), LONGEST);
        range(problems, "prefetch-time", Prefetch.SHORTEST_TIME, Prefetch.LONGEST_TIME);
        range(problems, "prefetch-calls", 1, Prefetch.MOST_CALLS_PER_SECOND);
        range(problems, "limit", 1L, Ranges.MAX_PERMITS);
        range(problems, "lease", Duration.ofMillis(100), LONGEST);
        if (kind != null) {
            Set<String> known = namesOf(kind);
            values.keySet().stream()
                    .filter(name -> !known.contains(name))
                    .forEach(name -> problems.putIfAbsent(
                            name, " has no effect on kind " + kind + ", which has " + String.join(", ", known)));
        }
        return problems;
    }

    @SuppressWarnings(
            "unchecked") // A value of another type is a capacity of a live limit, which is checked when it is applied.
    private <T extends Comparable<T>> void range(Map<String, String> problems, String name, T min, T max) {
        Object value = values.get(name);
        // NaN is more than any maximum.
        if (min.getClass().isInstance(value) && (min.compareTo((T) value) > 0 || max.compareTo((T) value) < 0)) {
            problems.put(name, outOfRange(value, min, max));
        }
    }

    /** What is wrong with a value that must be between two others. */
    public static String outOfRange(Object value, Object min, Object max) {
        return " must be between " + min + " and " + max + (value instanceof Duration ? " (ISO-8601)" : "") + ", was "
                + value;
    }

    /**
     * The limit of these parameters, of which there must be a kind and all that it needs.
     *
     * @param permits as many as a call takes
     * @param places where parameters can be set, for messages
     * @throws IllegalArgumentException if a parameter is missing, out of its range, or has no effect because of another one, or if the
     *     limit would never grant the permits of a call
     */
    public AnyLimit toLimit(long permits, String places) {
        return new LimitBuilder(this, places).build(permits);
    }

    /**
     * A limit of their kind with the parameters that are set. The others stay as the limit was defined, perhaps by code that says more
     * than parameters can; so do the zone and anchor of a window.
     *
     * @throws IllegalArgumentException if they are out of range for it
     */
    @SuppressWarnings("unchecked") // It stays of its class.
    public <L extends AnyLimit> L appliedTo(L own) {
        return (L) new LimitBuilder(this, "").changed(own);
    }

    /** {@code null} if nothing says it. */
    public @Nullable LimitKind kind() {
        return kind;
    }

    /** What is set, by name. */
    public Map<String, Object> values() {
        return values;
    }

    /** How long a call waits for permits. A queue bounds the wait by itself, also one that was changed live. */
    public Duration callTimeout() {
        return this.<Duration>value("timeout", kind == LimitKind.LEAKY_QUEUE ? UNTIL_ITS_TURN : Duration.ZERO);
    }

    /** How an instance prefetches permits; {@code null} if it does not. */
    public @Nullable Prefetch prefetch() {
        Duration time = value("prefetch-time");
        return time == null
                ? null
                : Prefetch.of(time)
                        .withCallsPerSecond(this.<Integer>value("prefetch-calls", Prefetch.DEFAULT_CALLS_PER_SECOND));
    }

    /** Whether each call has a date of its own from which its periods are counted, or none. */
    public boolean isAnchoredByCall() {
        Anchor anchor = value("anchor");
        return anchor != null && anchor.isOfCall();
    }

    @Nullable
    Per per() {
        return value("per");
    }

    @Nullable
    Duration warmUp() {
        return value("warm-up");
    }

    @Nullable
    Duration burst() {
        return value("burst");
    }

    /** In whole permits, but of a live limit. */
    @Nullable
    Number capacity() {
        return value("capacity");
    }

    /** {@code null} if it is not set. Each name has values of one type. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    <T> @Nullable T value(String name) {
        return (T) values.get(name);
    }

    @SuppressWarnings("unchecked")
    <T> T value(String name, T otherwise) {
        return (T) values.getOrDefault(name, otherwise);
    }
}
