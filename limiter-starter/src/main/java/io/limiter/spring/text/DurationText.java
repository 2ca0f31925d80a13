package io.limiter.spring.text;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.boot.convert.DurationStyle;

/** Durations as texts, such as {@code 15m}. */
public final class DurationText {

    private DurationText() {}

    /**
     * The duration of a text; a number without a unit is in seconds.
     *
     * @param name of the text, for the message
     * @throws IllegalArgumentException if the text is no duration; its message begins with the name
     */
    public static Duration parse(String name, String text) {
        try {
            return DurationStyle.detectAndParse(text, ChronoUnit.SECONDS);
        } catch (IllegalArgumentException | ArithmeticException e) {
            try {
                // Styles of Spring Boot have no fractions.
                return Duration.ofNanos(new BigDecimal(text).movePointRight(9).longValueExact());
            } catch (ArithmeticException | NumberFormatException no) {
                throw new IllegalArgumentException(
                        name + " must be a number of seconds or one with a unit (ns, us, ms, s, m, h, d), such as 900,"
                                + " 0.5, 15m or 500ms, was '" + text + "'",
                        e);
            }
        }
    }
}
