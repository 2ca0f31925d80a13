package io.limiter.spring.internal.key.spel;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression of a key, a cost or another text, such as <code>#{phone}</code>. It is parsed when the application starts, where
 * {@link ExpressionCheck} must allow all of it, and evaluated in each call.
 */
final class Expression {

    /** They come of a null, of a value whose type or size the operator does not take, and of a pattern that takes too long. */
    private static final Set<SpelMessage> OF_CALLER = EnumSet.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
            SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
            SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
            SpelMessage.STRING_INDEX_OUT_OF_BOUNDS,
            SpelMessage.OPERATOR_NOT_SUPPORTED_BETWEEN_TYPES,
            SpelMessage.NOT_COMPARABLE,
            SpelMessage.TYPE_CONVERSION_ERROR,
            SpelMessage.INVALID_FIRST_OPERAND_FOR_MATCHES_OPERATOR,
            SpelMessage.MAX_CONCATENATED_STRING_LENGTH_EXCEEDED,
            SpelMessage.FLAWED_PATTERN);

    private static final SpelExpressionParser PARSER = new SpelExpressionParser(Names.CONFIGURATION);
    private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");

    private final Text text;
    private final SpelExpression parsed;
    private final ExpressionCheck check;
    private final Names.Value value;

    /**
     * A text with expressions, and its names in messages.
     *
     * @param quoted the text in messages about the annotation or the setting
     * @param in follows an expression in such messages
     * @param where the text in messages about single calls
     */
    record Text(String text, String quoted, String in, String where, Names names) {

        /** @param attribute that has the text, such as {@code key} */
        static Text of(String attribute, String text, Names names) {
            String quoted = (names.isOfRule() ? "" : attribute + " ") + "'" + text + "'";
            return names.isOfRule()
                    ? new Text(text, quoted, "", "the " + attribute + " " + quoted, names)
                    : new Text(text, quoted, " in the " + quoted, "the limit " + quoted + names.ofMethod(), names);
        }

        /**
         * Its parts in their order.
         *
         * @throws IllegalArgumentException if it cannot be parsed, or an expression cannot work or is forbidden
         */
        List<Part> parse() {
            org.springframework.expression.Expression parsed;
            try {
                parsed = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
            } catch (ParseException | IllegalStateException e) {
                throw new IllegalArgumentException(quoted + " cannot be parsed: " + e.getMessage(), e);
            }
            List<Part> parts = new ArrayList<>();
            for (org.springframework.expression.Expression each : parsed instanceof CompositeStringExpression composite
                    ? composite.getExpressions()
                    : new org.springframework.expression.Expression[] {parsed}) {
                parts.add(new Part(
                        each.getExpressionString(),
                        each instanceof SpelExpression expression ? new Expression(this, expression) : null));
            }
            return parts;
        }
    }

    /** @param expression {@code null} if the part is a text */
    record Part(String text, @Nullable Expression expression) {}

    private Expression(Text text, SpelExpression parsed) {
        this.text = text;
        this.parsed = parsed;
        this.check = new ExpressionCheck(name() + text.in(), parsed.getAST(), text.names());
        this.value = text.names().valueOf(parsed);
    }

    /**
     * A text that is one expression, which is true or false.
     *
     * @param example an expression, for messages
     * @throws IllegalArgumentException if the text is not one expression, or it cannot work or is forbidden
     */
    static Expression condition(Text text, String example) {
        Expression expression = single(text, example);
        expression.check.checkIsCondition();
        return expression;
    }

    /** As {@link #condition}, for an expression that is a number. Facts of a request are texts, so a text of digits is a number. */
    static Expression number(Text text, String example) {
        Expression expression = single(text, example);
        expression.check.checkIsNumber();
        return expression;
    }

    /**
     * A text that is one expression.
     *
     * @param example an expression, for messages
     * @throws IllegalArgumentException if it is not one, or cannot work or is forbidden
     */
    static Expression value(Text text, String example) {
        return single(text, example);
    }

    private static Expression single(Text text, String example) {
        List<Part> parts = text.parse();
        Expression expression = parts.get(0).expression();
        if (parts.size() != 1 || expression == null) {
            throw new IllegalArgumentException(text.quoted() + " must be one expression over the "
                    + text.names().parts() + ", such as " + example);
        }
        expression.checkHasText();
        return expression;
    }

    /** As it is written. */
    String name() {
        return "#{" + parsed.getExpressionString() + "}";
    }

    /** What it is, for messages about a single call. */
    String where() {
        return name() + " in " + text.where();
    }

    /** The facts of the request that it reads. */
    Set<KeySource.Read> facts() {
        return check.facts();
    }

    /** Whether it has another value for another call, as far as its parts tell. */
    boolean readsCall() {
        return check.readsArguments() || !check.facts().isEmpty();
    }

    /** See {@link KeySource#sent}. */
    String sent() {
        return KeySource.sent(check.facts());
    }

    /** @throws IllegalArgumentException if the class of its values is known, and they have no texts */
    void checkHasText() {
        check.checkHasText();
    }

    /** Its value in a call; throws an {@link EvaluationException} if that has none, and what the request throws. */
    @Nullable
    Object value(@Nullable Object[] arguments, KeyRequest request) {
        return value.of(arguments, request);
    }

    /** @throws InvalidLimitArgumentException if it is neither true nor false; with a cause if it reads something of a null */
    boolean isTrue(@Nullable Object[] arguments, KeyRequest request) {
        Object result = valid(arguments, request);
        if (result instanceof Boolean applies) {
            return applies;
        }
        throw invalid(text.where() + " must be true or false, was " + result, null);
    }

    /** A number, rounded up. Throws an {@link InvalidLimitArgumentException} if it is none from 0 to 2<sup>53</sup> - 1. */
    long number(@Nullable Object[] arguments, KeyRequest request) {
        Object result = valid(arguments, request);
        if (result instanceof Integer whole && whole >= 0) {
            return whole;
        }
        BigDecimal number = decimal(result);
        long cost = number == null ? Ranges.NO_COST : Ranges.cost(number);
        if (cost == Ranges.NO_COST) {
            throw invalid(text.where() + " must be a number from 0 to " + Ranges.MAX_PERMITS + ", was " + result, null);
        }
        return cost;
    }

    private @Nullable Object valid(@Nullable Object[] arguments, KeyRequest request) {
        try {
            return value(arguments, request);
        } catch (EvaluationException e) {
            throw noValue(text.where(), e, this::invalid);
        }
    }

    private InvalidLimitArgumentException invalid(String message, @Nullable Throwable cause) {
        return new InvalidLimitArgumentException(message, cause, sent());
    }

    /** A text of digits is a number if no argument is read. */
    private @Nullable BigDecimal decimal(@Nullable Object result) {
        boolean isNumber = result instanceof Number
                || !check.readsArguments()
                        && result instanceof String sent
                        && DIGITS.matcher(sent).matches();
        try {
            return isNumber ? new BigDecimal(String.valueOf(result)) : null;
        } catch (NumberFormatException e) {
            // Not a number, or infinite.
            return null;
        }
    }

    /** The failure of an expression. Callers cause some by what they send; the application causes others. */
    static RuntimeException noValue(
            String where, RuntimeException cause, BiFunction<String, Throwable, RuntimeException> ofCaller) {
        String problem = where + " has no value: " + cause.getMessage();
        return isOfCaller(cause) ? ofCaller.apply(problem, cause) : new IllegalStateException(problem, cause);
    }

    private static boolean isOfCaller(RuntimeException thrown) {
        return thrown instanceof Values.ArgumentException
                || thrown instanceof SpelEvaluationException e && OF_CALLER.contains(e.getMessageCode());
    }
}
