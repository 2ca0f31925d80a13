package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * How many permits a call takes: a fixed number or a cost, if a condition is true. Both are expressions over its arguments, which
 * can use the same as a key; see {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallPermits {

    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);

    private final int fixed;
    private final @Nullable ArgumentExpression cost;
    private final @Nullable ArgumentExpression condition;

    private CallPermits(int fixed, @Nullable ArgumentExpression cost, @Nullable ArgumentExpression condition) {
        this.fixed = fixed;
        this.cost = cost;
        this.condition = condition;
    }

    /**
     * @param fixed where there is no cost, at least 1
     * @param cost empty if all calls take the fixed number
     * @param condition empty if the limit applies to all calls
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if there are a number and a cost, or a text is not one expression that can work
     */
    public static CallPermits parse(int fixed, String cost, String condition, Method annotated) {
        if (fixed != 1 && !cost.isEmpty()) {
            throw new IllegalArgumentException(
                    "permits " + fixed + " has no effect with cost '" + cost + "': leave one of them out");
        }
        return new CallPermits(
                fixed,
                cost.isEmpty() ? null : ArgumentExpression.parse("cost", cost, annotated, "#{items.size()}"),
                condition.isEmpty()
                        ? null
                        : ArgumentExpression.parse("condition", condition, annotated, "#{items.size() > 100}"));
    }

    /** The permits of calls without a cost. */
    public int fixed() {
        return fixed;
    }

    /**
     * The permits of one call, 0 if it skips the limit.
     *
     * @throws InvalidLimitArgumentException if the arguments make the condition neither true nor false, or the cost no whole
     *     number from 0 to 2,147,483,647
     */
    public int of(@Nullable Object[] arguments) {
        if (condition != null && !isTrue(condition, arguments)) {
            return 0;
        }
        return cost == null ? fixed : cost(cost, arguments);
    }

    private static boolean isTrue(ArgumentExpression condition, @Nullable Object[] arguments) {
        Object value = condition.value(arguments);
        if (value instanceof Boolean applies) {
            return applies;
        }
        throw new InvalidLimitArgumentException(condition.where() + " must be true or false, was " + value, null);
    }

    private static int cost(ArgumentExpression cost, @Nullable Object[] arguments) {
        Object value = cost.value(arguments);
        if (value instanceof Integer whole && whole >= 0) {
            return whole;
        }
        BigDecimal number = number(value);
        if (number == null
                || number.signum() < 0
                || number.compareTo(MOST) > 0
                || number.stripTrailingZeros().scale() > 0) {
            throw new InvalidLimitArgumentException(
                    cost.where() + " must be a whole number from 0 to " + MOST + ", was " + value, null);
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

    /**
     * An attribute that is one expression over the arguments.
     *
     * @param where the attribute and its method, for messages about single calls
     */
    private record ArgumentExpression(Function<@Nullable Object[], @Nullable Object> valueOf, String where) {

        /** @param example an expression, for messages */
        static ArgumentExpression parse(String attribute, String text, Method method, String example) {
            ExpressionSource<@Nullable Object[]> source = ExpressionSource.of(attribute, text, method);
            if (source.parts().size() != 1 || !(source.parts().get(0) instanceof SpelExpression expression)) {
                throw new IllegalArgumentException(
                        source.quoted() + " must be one expression over the arguments, such as " + example);
            }
            source.check();
            return new ArgumentExpression(source.scope().valueOf(expression), source.where());
        }

        /** @throws InvalidLimitArgumentException if the arguments give it no value */
        @Nullable
        Object value(@Nullable Object[] arguments) {
            try {
                return valueOf.apply(arguments);
            } catch (EvaluationException e) {
                throw ExpressionSource.noValue(where, e, InvalidLimitArgumentException::new);
            }
        }
    }
}
