package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * A placeholder in a key: finds its value, which must be neither null nor blank, and escapes it.
 *
 * @param <C> what it is found in
 */
final class KeyPlaceholder<C> implements KeyPart<C> {

    private final Value<C> value;
    private final String where;
    private final @Nullable Escape escape;

    /**
     * @param where the placeholder, its template and the method, for messages
     * @param next the first character of the text that follows, if any does
     */
    KeyPlaceholder(Value<C> value, String where, @Nullable Character next) {
        this.value = value;
        this.where = where;
        this.escape = next == null ? null : Escape.of(next);
    }

    @Override
    public String in(C call) {
        String text = text(call);
        if (text == null || text.isBlank()) {
            throw MissingLimitKeyException.inCall(where + " is " + (text == null ? "null" : "blank"), null);
        }
        return escape == null ? text : escape.apply(text);
    }

    private @Nullable String text(C call) {
        try {
            return KeyText.of(value.in(call));
        } catch (EvaluationException | IllegalArgumentException e) {
            String problem = where + " has no value: " + e.getMessage();
            throw ArgumentExpression.isForNull(e)
                    ? MissingLimitKeyException.inCall(problem, e)
                    : new IllegalStateException(problem, e);
        }
    }

    /** Finds the value. */
    @FunctionalInterface
    interface Value<C> {

        /** @throws EvaluationException if it has none */
        @Nullable
        Object in(C call);
    }

    /** Marks within a value what ends it. */
    private record Escape(String escape, String escapedEscape, String end, String escapedEnd) {

        static Escape of(char end) {
            String escape = end == '\\' ? "/" : "\\";
            return new Escape(escape, escape + escape, String.valueOf(end), escape + end);
        }

        String apply(String value) {
            return value.replace(escape, escapedEscape).replace(end, escapedEnd);
        }
    }
}
