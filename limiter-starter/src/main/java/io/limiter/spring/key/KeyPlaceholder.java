package io.limiter.spring.key;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/** A placeholder in a key: finds its value, which must be neither null nor blank, and escapes it. */
final class KeyPlaceholder implements KeyPart {

    private static final int NO_ARGUMENT = -1;

    private final SpelExpression expression;
    private final int argument;
    private final String where;
    private final @Nullable Escape escape;

    /**
     * @param expression checked; what it names is there
     * @param positions see {@link CallContext}
     * @param where the template and the method, for messages
     * @param next the first character of the text that follows, if any does
     */
    KeyPlaceholder(SpelExpression expression, Map<String, Integer> positions, String where, @Nullable Character next) {
        this.expression = expression;
        this.argument = argument(expression.getAST(), positions);
        this.where = "#{" + expression.getExpressionString() + "} in " + where;
        this.escape = next == null ? null : Escape.of(next);
    }

    /** The position of the argument whose name or position is all there is to an expression, as in most keys. */
    private static int argument(SpelNode node, Map<String, Integer> positions) {
        String name = null;
        if (node instanceof PropertyOrFieldReference property) {
            name = property.getName();
        } else if (node instanceof VariableReference) {
            name = node.toStringAST().substring(1);
        }
        return name == null ? NO_ARGUMENT : positions.getOrDefault(name, NO_ARGUMENT);
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
            return KeyText.of(argument == NO_ARGUMENT ? expression.getValue(call) : call.argument(argument));
        } catch (EvaluationException | IllegalArgumentException e) {
            String problem = where + " has no value: " + e.getMessage();
            throw isForNull(e) ? MissingLimitKeyException.inCall(problem, e) : new IllegalStateException(problem, e);
        }
    }

    /** Whether a null on the way is to blame, which callers can send, rather than the expression. */
    private static boolean isForNull(RuntimeException thrown) {
        return thrown instanceof SpelEvaluationException e
                && (e.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                        || e.getMessageCode() == SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);
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
