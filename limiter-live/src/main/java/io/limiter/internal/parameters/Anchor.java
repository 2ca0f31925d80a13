package io.limiter.internal.parameters;

import java.time.DateTimeException;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * The date from which the calendar's periods of a limit are counted: one for all calls, or another one for each. It is no record, because
 * the settings of a record are properties.
 */
public final class Anchor {

    private final String text;
    private final @Nullable LocalDate date;

    private Anchor(String text, @Nullable LocalDate date) {
        this.text = text;
        this.date = date;
    }

    /** A date for all calls. */
    public static Anchor of(LocalDate date) {
        return new Anchor(date.toString(), date);
    }

    /** A date that each call has, or none. */
    public static Anchor ofCall(String expression) {
        return new Anchor(expression, null);
    }

    /**
     * A date as annotations and properties write it. Spring Boot's binder calls it, too.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Anchor valueOf(String text) {
        try {
            return of(LocalDate.parse(text));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("anchor must be a date such as 2026-01-15, was '" + text + "'", e);
        }
    }

    /** Whether each call has a date of its own, or none. */
    public boolean isOfCall() {
        return date == null;
    }

    /** {@code null} if each call has its own. */
    @Nullable
    LocalDate date() {
        return date;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Anchor that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As it is written. */
    @Override
    public String toString() {
        return text;
    }
}
