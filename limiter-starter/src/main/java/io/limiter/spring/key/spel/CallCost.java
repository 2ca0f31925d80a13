package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * How many permits a call takes, as an expression over its arguments. It can use the same as a key; see
 * {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallCost {

    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);

    private final ArgumentExpression expression;

    private CallCost(ArgumentExpression expression) {
        this.expression = expression;
    }

    /**
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the text is not one expression that can work
     */
    public static CallCost parse(String text, Method annotated) {
        return new CallCost(ArgumentExpression.parse("cost", text, annotated, "#{items.size()}"));
    }

    /**
     * The permits of one call, 0 if it takes none.
     *
     * @throws InvalidLimitArgumentException if the arguments give no whole number from 0 to 2,147,483,647
     */
    public int of(@Nullable Object[] arguments) {
        Object value = expression.value(arguments);
        if (value instanceof Integer whole && whole >= 0) {
            return whole;
        }
        BigDecimal number = number(value);
        if (number == null
                || number.signum() < 0
                || number.compareTo(MOST) > 0
                || number.stripTrailingZeros().scale() > 0) {
            throw new InvalidLimitArgumentException(
                    expression.where() + " must be a whole number from 0 to " + MOST + ", was " + value, null);
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
