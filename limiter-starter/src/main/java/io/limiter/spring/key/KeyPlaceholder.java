package io.limiter.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/** A placeholder in a key: finds its value, which must be neither null nor blank, and escapes it. */
final class KeyPlaceholder implements KeyPart {

    private final ArgumentExpression expression;
    private final String where;
    private final @Nullable Escape escape;

    /**
     * @param where the template and the method, for messages
     * @param next the first character of the text that follows, if any does
     */
    KeyPlaceholder(ArgumentExpression expression, String where, @Nullable Character next) {
        this.expression = expression;
        this.where = expression + " in " + where;
        this.escape = next == null ? null : Escape.of(next);
    }

    @Override
    public String in(CallContext call) {
        String text = text(call);
        if (text == null || text.isBlank()) {
            throw MissingLimitKeyException.inCall(where + " is " + (text == null ? "null" : "blank"), null);
        }
        return escape == null ? text : escape.apply(text);
    }

    private @Nullable String text(CallContext call) {
        try {
            return KeyText.of(expression.value(call));
        } catch (EvaluationException | IllegalArgumentException e) {
            String problem = where + " has no value: " + e.getMessage();
            throw ArgumentExpression.isForNull(e)
                    ? MissingLimitKeyException.inCall(problem, e)
                    : new IllegalStateException(problem, e);
        }
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
