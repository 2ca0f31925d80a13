package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * An attribute that is one expression over the arguments of a call, and perhaps over its outcome, which follows them.
 *
 * @param valueOf throws an {@link org.springframework.expression.EvaluationException} if the call gives it no value
 * @param where the attribute and its method, for messages about single calls
 */
record CallExpression(Function<@Nullable Object[], @Nullable Object> valueOf, String where) {

    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);

    /**
     * @param example an expression, for messages
     * @throws IllegalArgumentException if the text is not one expression, or it cannot work or is forbidden
     */
    static CallExpression parse(String attribute, String text, Method method, ArgumentScope scope, String example) {
        ExpressionSource<@Nullable Object[]> source = ExpressionSource.of(attribute, text, method, scope);
        if (source.parts().size() != 1 || !(source.parts().get(0) instanceof SpelExpression expression)) {
            throw new IllegalArgumentException(
                    source.quoted() + " must be one expression over the " + scope.parts() + ", such as " + example);
        }
        source.check();
        return new CallExpression(scope.valueOf(expression), source.where());
    }

    private @Nullable Object value(@Nullable Object[] call) {
        try {
            return valueOf.apply(call);
        } catch (EvaluationException e) {
            throw ExpressionSource.noValue(where, e, InvalidLimitArgumentException::new);
        }
    }

    /** @throws InvalidLimitArgumentException if it is neither true nor false; with a cause if it reads something of a null */
    boolean isTrue(@Nullable Object[] call) {
        Object value = value(call);
        if (value instanceof Boolean applies) {
            return applies;
        }
        throw new InvalidLimitArgumentException(where + " must be true or false, was " + value, null);
    }

    /** @throws InvalidLimitArgumentException if it is no whole number from 0 to 2,147,483,647 */
    int number(@Nullable Object[] call) {
        Object value = value(call);
        if (value instanceof Integer whole && whole >= 0) {
            return whole;
        }
        BigDecimal number = number(value);
        if (number == null
                || number.signum() < 0
                || number.compareTo(MOST) > 0
                || number.stripTrailingZeros().scale() > 0) {
            throw new InvalidLimitArgumentException(
                    where + " must be a whole number from 0 to " + MOST + ", was " + value, null);
        }
        return number.intValueExact();
    }

    private static @Nullable BigDecimal number(@Nullable Object value) {
        if (!(value instanceof Number)) {
            return null;
        }
        try {
            return new BigDecimal(value.toString());
        } catch (NumberFormatException e) {
            // Not a number, or infinite.
            return null;
        }
    }
}
