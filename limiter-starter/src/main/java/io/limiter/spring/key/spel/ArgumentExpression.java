package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;

/** A checked expression over the arguments of a call. One that only names an argument is read without SpEL. */
final class ArgumentExpression {

    private static final int NO_ARGUMENT = -1;

    private final SpelExpression expression;
    private final Map<String, Integer> positions;
    private final int argument;
    private final String where;

    /** @param expression checked */
    ArgumentExpression(SpelExpression expression, ExpressionSource<ArgumentScope> source) {
        this.expression = expression;
        this.positions = source.scope().positions();
        this.argument = positions.getOrDefault(ExpressionCheck.nameOf(expression.getAST()), NO_ARGUMENT);
        this.where = source.where();
    }

    /**
     * Parses an attribute that must be one expression.
     *
     * @param example an expression, for messages
     * @throws IllegalArgumentException if the text is not one expression, or the expression cannot work
     */
    static ArgumentExpression parse(String attribute, String text, Method method, String example) {
        ExpressionSource<ArgumentScope> source = ExpressionSource.of(attribute, text, method);
        List<Expression> parts = source.parts();
        if (parts.size() != 1 || !(parts.get(0) instanceof SpelExpression)) {
            throw new IllegalArgumentException(
                    source.quoted() + " must be one expression over the arguments, such as " + example);
        }
        return new ArgumentExpression((SpelExpression) source.parse().get(0), source);
    }

    /** @throws EvaluationException if it has no value */
    @Nullable
    Object value(CallContext call) {
        return argument == NO_ARGUMENT ? expression.getValue(call) : call.argument(argument);
    }

    /** @throws InvalidLimitArgumentException if the arguments give it no value */
    @Nullable
    Object value(@Nullable Object[] arguments) {
        if (argument != NO_ARGUMENT) {
            return arguments[argument];
        }
        try {
            return expression.getValue(new CallContext(positions, arguments));
        } catch (EvaluationException e) {
            throw noValue(where, e, InvalidLimitArgumentException::new);
        }
    }

    /** The attribute and its method, for messages about single calls. */
    String where() {
        return where;
    }

    /** The failure of an expression. Callers can send a null, and cause that of one; the application causes others. */
    static RuntimeException noValue(
            String where, RuntimeException cause, BiFunction<String, Throwable, RuntimeException> ofCaller) {
        String problem = where + " has no value: " + cause.getMessage();
        return isForNull(cause) ? ofCaller.apply(problem, cause) : new IllegalStateException(problem, cause);
    }

    private static boolean isForNull(RuntimeException thrown) {
        return thrown instanceof SpelEvaluationException e
                && (e.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                        || e.getMessageCode() == SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED
                        || e.getMessageCode() == SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);
    }
}
