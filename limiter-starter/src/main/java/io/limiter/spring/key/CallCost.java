package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * How many permits a call takes, by an expression over its arguments. It can use what a key can; see
 * {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallCost {

    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);

    private final ArgumentExpression expression;
    private final String where;

    private CallCost(ArgumentExpression expression, String where) {
        this.expression = expression;
        this.where = where;
    }

    /**
     * @param annotated the method whose argument names the text uses
     * @throws IllegalArgumentException if the text is not one expression that can work
     */
    public static CallCost parse(String text, Method annotated) {
        ExpressionSource source = new ExpressionSource("cost", text, annotated);
        return new CallCost(source.single("#{items.size()}"), source.where());
    }

    /**
     * The permits of one call, 0 if it takes none.
     *
     * @throws InvalidLimitArgumentException if the arguments give no whole number from 0 to 2,147,483,647
     */
    public int of(@Nullable Object[] arguments) {
        Object value = value(arguments);
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

    private @Nullable Object value(@Nullable Object[] arguments) {
        try {
            return expression.value(arguments);
        } catch (EvaluationException e) {
            String problem = where + " has no value: " + e.getMessage();
            throw ArgumentExpression.isForNull(e)
                    ? new InvalidLimitArgumentException(problem, e)
                    : new IllegalStateException(problem, e);
        }
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
