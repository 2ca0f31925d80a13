package io.limiter.spring.key;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * Whether a limit applies to a call, by an expression over its arguments. It can use what a key can; see
 * {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallCondition {

    private final ArgumentExpression expression;
    private final String where;

    private CallCondition(ArgumentExpression expression, String where) {
        this.expression = expression;
        this.where = where;
    }

    /**
     * @param annotated the method whose argument names the text uses
     * @throws IllegalArgumentException if the text is not one expression that can work
     */
    public static CallCondition parse(String text, Method annotated) {
        ExpressionSource source = new ExpressionSource("condition", text, annotated);
        return new CallCondition(source.single("#{items.size() > 100}"), source.where());
    }

    /** @throws InvalidLimitArgumentException if the arguments make it neither true nor false */
    public boolean of(@Nullable Object[] arguments) {
        Object value;
        try {
            value = expression.value(arguments);
        } catch (EvaluationException e) {
            String problem = where + " has no value: " + e.getMessage();
            throw ArgumentExpression.isForNull(e)
                    ? new InvalidLimitArgumentException(problem, e)
                    : new IllegalStateException(problem, e);
        }
        if (value instanceof Boolean applies) {
            return applies;
        }
        throw new InvalidLimitArgumentException(where + " must be true or false, was " + value, null);
    }
}
