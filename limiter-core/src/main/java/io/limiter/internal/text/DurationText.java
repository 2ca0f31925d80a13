package io.limiter.internal.text;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as texts, such as {@code 15m}; the same as Spring Boot reads, and fractions of a second. */
public final class DurationText {

    private static final Pattern WHOLE = Pattern.compile("([+-]?\\d+)([a-zA-Z]{0,2})");

    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "", ChronoUnit.SECONDS,
            "ns", ChronoUnit.NANOS,
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private DurationText() {}

    /**
     * The duration of a text; a number without a unit is in seconds.
     *
     * @param name of the text, for the message
     * @throws IllegalArgumentException if the text is no duration; its message begins with the name
     */
    public static Duration parse(String name, String text) {
        RuntimeException cause = null;
        try {
            Duration parsed = parse(text);
            if (parsed != null) {
                return parsed;
            }
        } catch (ArithmeticException | DateTimeException | NumberFormatException e) {
            cause = e;
        }
        throw new IllegalArgumentException(
                name
                        + " must be a number of seconds or one with a unit (ns, us, ms, s, m, h, d), such as 900, 0.5, 15m or"
                        + " 500ms, was '" + text + "'",
                cause);
    }

    private static @Nullable Duration parse(String text) {
        Matcher whole = WHOLE.matcher(text);
        if (whole.matches()) {
            ChronoUnit unit = UNITS.get(whole.group(2).toLowerCase(Locale.ROOT));
            return unit == null ? null : Duration.of(Long.parseLong(whole.group(1)), unit);
        }
        return text.matches("[+-]?[pP].*")
                ? Duration.parse(text)
                : Duration.ofNanos(new BigDecimal(text).movePointRight(9).longValueExact());
    }
}
