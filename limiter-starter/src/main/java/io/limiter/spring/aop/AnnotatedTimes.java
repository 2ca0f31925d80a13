package io.limiter.spring.aop;

import io.limiter.spring.settings.LimitKind;
import io.limiter.spring.settings.SettingChecks;
import io.limiter.spring.text.DurationText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The times in annotations: numbers are seconds, and {@code per} is a text. */
final class AnnotatedTimes {

    private static final Map<String, Duration> CALENDAR_UNITS =
            Map.of("minute", Duration.ofMinutes(1), "hour", Duration.ofHours(1), "day", Duration.ofDays(1));

    /** Units that are no fixed time, with about as long a duration. */
    private static final Map<String, String> LONGER_UNITS = Map.of("week", "7d", "month", "30d", "year", "365d");

    private static final BigDecimal LONGEST_SECONDS = BigDecimal.valueOf(SettingChecks.LONGEST.toSeconds());

    private AnnotatedTimes() {}

    /**
     * A number of seconds, rounded up to a nanosecond so that a bucket holds all of a permit.
     *
     * @param seconds {@code null} if the annotation does not set it
     * @throws IllegalArgumentException if it is out of range
     */
    static @Nullable Duration seconds(String attribute, @Nullable Double seconds, String min) {
        if (seconds == null) {
            return null;
        }
        BigDecimal exact = Double.isFinite(seconds) ? exact(seconds) : null;
        if (exact == null || exact.compareTo(new BigDecimal(min)) < 0 || exact.compareTo(LONGEST_SECONDS) > 0) {
            throw new IllegalArgumentException(attribute + " (seconds) must be between " + min + " and "
                    + LONGEST_SECONDS + ", was " + (exact == null ? seconds.toString() : exact.toPlainString()));
        }
        return Duration.ofNanos(
                exact.movePointRight(9).setScale(0, RoundingMode.CEILING).longValueExact());
    }

    /**
     * The time that a rate is for.
     *
     * @throws IllegalArgumentException if the text is no duration
     */
    static @Nullable Duration ofRate(String per) {
        if (isCalendarUnit(per)) {
            throw new IllegalArgumentException("per must be a duration, such as 1m, 1h or 1d, was '" + per
                    + "': a rate does not go by the calendar, for that use a @CountLimit");
        }
        return per.isEmpty() ? null : duration(per);
    }

    /**
     * The period in which permits are counted.
     *
     * @param period {@code null} if the annotation does not set it
     * @param per a duration or a unit of the calendar; empty if the annotation does not set it
     * @param zone whose calendar it is; empty if the annotation does not set it
     * @throws IllegalArgumentException if one of them is invalid, or excludes another
     */
    static Window ofCount(@Nullable Double period, String per, String zone, LimitKind kind) {
        if (period != null && !per.isEmpty()) {
            throw new IllegalArgumentException("period = " + period + " (seconds) and per = \"" + per
                    + "\" both say how long a period is: leave one of them out");
        }
        if (!isCalendarUnit(per)) {
            if (!zone.isEmpty()) {
                throw new IllegalArgumentException("zone '" + zone + "' has no effect without a unit of the calendar:"
                        + " write per = \"minute\", \"hour\" or \"day\", or leave the zone out");
            }
            return new Window(per.isEmpty() ? seconds("period", period, "0.001") : duration(per), null);
        }
        Duration length = CALENDAR_UNITS.get(per);
        if (length == null) {
            throw new IllegalArgumentException("per must be a duration, such as 15m, or minute, hour or day, was '"
                    + per + "': write per = \"" + LONGER_UNITS.get(per) + "\", which starts with its first call");
        }
        if (kind != LimitKind.FIXED_WINDOW) {
            throw new IllegalArgumentException(
                    "per '" + per + "' is a unit of the calendar, by which only a fixed window" + " goes, not kind "
                            + kind + ": write per = \"1" + per.charAt(0) + "\"");
        }
        return new Window(length, zone.isEmpty() ? ZoneOffset.UTC : zone(zone));
    }

    private static Duration duration(String per) {
        Duration duration = DurationText.parse("per", per);
        SettingChecks.range("per", duration, Duration.ofMillis(1), SettingChecks.LONGEST);
        return duration;
    }

    private static BigDecimal exact(double seconds) {
        return BigDecimal.valueOf(seconds).stripTrailingZeros();
    }

    private static boolean isCalendarUnit(String per) {
        return CALENDAR_UNITS.containsKey(per) || LONGER_UNITS.containsKey(per);
    }

    private static ZoneId zone(String id) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "zone must be one that Java knows, such as Europe/Berlin or UTC, was '" + id + "'", e);
        }
    }

    /**
     * A period.
     *
     * @param length {@code null} if the annotation does not set it
     * @param zone by whose clock it begins and ends; {@code null} if it begins with its first call
     */
    record Window(@Nullable Duration length, @Nullable ZoneId zone) {}
}
