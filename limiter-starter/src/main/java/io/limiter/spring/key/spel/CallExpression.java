package io.limiter.spring.key.spel;

import io.limiter.internal.arithmetic.Check;
import io.limiter.spring.key.InvalidLimitArgumentException;
import java.math.BigDecimal;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A text that is one expression over a call: its arguments and perhaps its outcome, which follows them; or a request.
 *
 * @param valueOf throws an {@link org.springframework.expression.EvaluationException} if the call gives it no value
 * @param where the text and its method, for messages about single calls
 * @param sent see {@link Scope#sentFor}
 * @param <C> the call
 */
record CallExpression<C>(Function<C, @Nullable Object> valueOf, String where, String sent) {

    private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");
    private static final BigDecimal MOST = BigDecimal.valueOf(Check.MAX_PERMITS);

    /**
     * An expression that is true or false.
     *
     * @param example an expression, for messages
     * @throws IllegalArgumentException if the text is not one expression, or it cannot work or is forbidden
     */
    static <C> CallExpression<C> condition(ExpressionSource<C> source, String example) {
        SpelExpression expression = parse(source, example);
        source.checkOf(expression).types().checkIsCondition(expression.getAST());
        return new CallExpression<>(
                source.scope().valueOf(expression),
                source.where(),
                source.scope().sentFor(expression.getAST()));
    }

    /** As {@link #condition}, for one that is a number. The parts of a request are texts, so one of digits is a number. */
    static <C> CallExpression<C> number(ExpressionSource<C> source, String example) {
        SpelExpression expression = parse(source, example);
        boolean readsTexts = !source.scope().hasObjects();
        source.checkOf(expression).types().checkIsNumber(expression.getAST(), readsTexts);
        Function<C, @Nullable Object> valueOf = source.scope().valueOf(expression);
        return new CallExpression<>(
                readsTexts ? call -> read(valueOf.apply(call)) : valueOf,
                source.where(),
                source.scope().sentFor(expression.getAST()));
    }

    private static SpelExpression parse(ExpressionSource<?> source, String example) {
        if (source.parts().size() != 1 || !(source.parts().get(0) instanceof SpelExpression expression)) {
            throw new IllegalArgumentException(source.quoted() + " must be one expression over the "
                    + source.scope().parts() + ", such as " + example);
        }
        source.check();
        return expression;
    }

    private static @Nullable Object read(@Nullable Object value) {
        return value instanceof String text && DIGITS.matcher(text).matches() ? Long.valueOf(text) : value;
    }

    private @Nullable Object value(C call) {
        try {
            return valueOf.apply(call);
        } catch (EvaluationException e) {
            throw ExpressionSource.noValue(where, e, this::invalid);
        }
    }

    /** @throws InvalidLimitArgumentException if it is neither true nor false; with a cause if it reads something of a null */
    boolean isTrue(C call) {
        Object value = value(call);
        if (value instanceof Boolean applies) {
            return applies;
        }
        throw invalid(where + " must be true or false, was " + value, null);
    }

    /** @throws InvalidLimitArgumentException if it is no whole number from 0 to 2<sup>53</sup> - 1 */
    long number(C call) {
        Object value = value(call);
        if (value instanceof Integer whole && whole >= 0) {
            return whole;
        }
        BigDecimal number = parsed(value);
        if (number == null
                || number.signum() < 0
                || number.compareTo(MOST) > 0
                || number.stripTrailingZeros().scale() > 0) {
            throw invalid(where + " must be a whole number from 0 to " + MOST + ", was " + value, null);
        }
        return number.longValueExact();
    }

    private InvalidLimitArgumentException invalid(String message, @Nullable Throwable cause) {
        return new InvalidLimitArgumentException(message, cause, sent);
    }

    private static @Nullable BigDecimal parsed(@Nullable Object value) {
        try {
            return value instanceof Number ? new BigDecimal(value.toString()) : null;
        } catch (NumberFormatException e) {
            // Not a number, or infinite.
            return null;
        }
    }
}
