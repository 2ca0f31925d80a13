package io.limiter.internal.parameters;

import io.limiter.internal.arithmetic.Check;
import io.limiter.internal.text.DurationText;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The time that the permits of a limit are for: a duration, which begins with its first permit, or a unit of the calendar.
 * It is no record, because the settings of a record are properties.
 */
public final class Per {

    private static final Map<String, Duration> UNITS =
            Map.of("minute", Duration.ofMinutes(1), "hour", Duration.ofHours(1), "day", Duration.ofDays(1));

    /** Units that are no fixed time, with about as long a duration. */
    private static final Map<String, String> LONGER_UNITS = Map.of("week", "7d", "month", "30d", "year", "365d");

    private final Duration length;
    private final @Nullable String unit;

    private Per(Duration length, @Nullable String unit) {
        this.length = length;
        this.unit = unit;
    }

    /** A duration. */
    public static Per of(Duration length) {
        return new Per(length, null);
    }

    /** A unit of the calendar, if one has this length. */
    static Per ofCalendar(Duration length) {
        return UNITS.entrySet().stream()
                .filter(unit -> unit.getValue().equals(length))
                .findFirst()
                .map(unit -> new Per(length, unit.getKey()))
                .orElseGet(() -> of(length));
    }

    /** A number of seconds, as YAML has it. Spring Boot's binder calls it. */
    public static Per valueOf(Integer seconds) {
        return valueOf(seconds.toString());
    }

    /**
     * As annotations and properties write it. Spring Boot's binder calls it, too.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static Per valueOf(String text) {
        Duration length = UNITS.get(text);
        if (length != null) {
            return new Per(length, text);
        }
        if (LONGER_UNITS.containsKey(text)) {
            throw new IllegalArgumentException("per must be a duration, such as 15m, or minute, hour or day, was '"
                    + text + "': write " + LONGER_UNITS.get(text) + ", which starts with its first call");
        }
        Duration duration = DurationText.parse("per", text);
        Check.duration("per", duration, Duration.ofMillis(1));
        return of(duration);
    }

    public Duration length() {
        return length;
    }

    /** minute, hour or day of the calendar; {@code null} for a duration. */
    @Nullable
    String unit() {
        return unit;
    }

    /**
     * The time that a rate is for.
     *
     * @throws IllegalArgumentException if it is a unit of the calendar
     */
    Duration ofRate() {
        if (unit != null) {
            throw new IllegalArgumentException("per must be a duration, such as 1m, 1h or 1d, was '" + unit
                    + "': a rate does not go by the calendar, for that use a @CountLimit or the kind fixed-window");
        }
        return length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Per that && length.equals(that.length) && Objects.equals(unit, that.unit);
    }

    @Override
    public int hashCode() {
        return Objects.hash(length, unit);
    }

    /** As it is written. */
    @Override
    public String toString() {
        return unit == null ? length.toString() : unit;
    }
}
