package io.limiter.internal.parameters;

import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.arithmetic.Ranges;
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

    /** The units of the calendar, each with about as long a duration. */
    private static final Map<String, String> UNITS =
            Map.of("minute", "1m", "hour", "1h", "day", "1d", "week", "7d", "month", "30d", "year", "365d");

    private final Duration length;
    private final @Nullable CalendarPeriod unit;

    private Per(Duration length, @Nullable CalendarPeriod unit) {
        this.length = length;
        this.unit = unit;
    }

    /** A duration. */
    public static Per of(Duration length) {
        return new Per(length, null);
    }

    /** What the windows of a limit are for. */
    static Per of(FixedWindow window) {
        return window.calendar() == null
                ? of(window.period())
                : new Per(window.period(), CalendarPeriod.of(window.calendar().unit()));
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
        if (UNITS.containsKey(text)) {
            CalendarPeriod unit = CalendarPeriod.of(text);
            return new Per(unit.length(), unit);
        }
        Duration duration = DurationText.parse("per", text);
        Ranges.duration("per", duration, Duration.ofMillis(1));
        return of(duration);
    }

    public Duration length() {
        return length;
    }

    /** The unit of the calendar; {@code null} for a duration. */
    @Nullable
    CalendarPeriod unit() {
        return unit;
    }

    /** A duration about as long as this unit of the calendar, as it is written. */
    String similar() {
        return UNITS.getOrDefault(toString(), toString());
    }

    /**
     * The time that a rate is for.
     *
     * @throws IllegalArgumentException if it is a unit of the calendar
     */
    Duration ofRate() {
        if (unit != null) {
            throw new IllegalArgumentException("per must be a duration, such as 1m, 1h or 1d, was '" + this
                    + "': a rate does not follow the calendar: use a @CountLimit or the kind fixed-window instead");
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
        return unit == null ? length.toString() : unit.unit();
    }
}
