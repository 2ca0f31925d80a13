package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Whether a limit applies to a call, as an expression over its arguments. It can use the same as a key; see
 * {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallCondition {

    private final ArgumentExpression expression;

    private CallCondition(ArgumentExpression expression) {
        this.expression = expression;
    }

    /**
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the text is not one expression that can work
     */
    public static CallCondition parse(String text, Method annotated) {
        return new CallCondition(ArgumentExpression.parse("condition", text, annotated, "#{items.size() > 100}"));
    }

    /** @throws InvalidLimitArgumentException if the arguments make it neither true nor false */
    public boolean of(@Nullable Object[] arguments) {
        Object value = expression.value(arguments);
        if (value instanceof Boolean applies) {
            return applies;
        }
        throw new InvalidLimitArgumentException(expression.where() + " must be true or false, was " + value, null);
    }
}
