package io.limiter.spring.key.spel;

import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MethodName;
import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * A text with <code>#{...}</code> expressions, and its names in messages.
 *
 * @param quoted the text in messages about the annotation or the setting
 * @param in follows an expression in such messages
 * @param where the text in messages about single calls
 * @param scope the names that the expressions can use
 * @param parts texts and expressions, in order
 * @param <C> the call
 */
record ExpressionSource<C>(
        String text, String quoted, String in, String where, Scope<C> scope, List<Expression> parts) {

    /** Of a null, of a value of a type or a size that the operator does not take, and of a pattern that takes too long. */
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

    private static final SpelExpressionParser PARSER = new SpelExpressionParser(Scope.CONFIGURATION);

    /**
     * Parses an attribute, over the arguments of a method and perhaps its outcome.
     *
     * @throws IllegalArgumentException if the text cannot be parsed
     */
    static ExpressionSource<@Nullable Object[]> of(String attribute, String text, Method method, ArgumentScope scope) {
        String quoted = attribute + " '" + text + "'";
        String where = "the limit " + quoted + " of " + MethodName.of(method.getDeclaringClass(), method);
        return new ExpressionSource<>(text, quoted, " in the " + quoted, where, scope, parse(text, quoted));
    }

    /**
     * Parses the key, the plan, the cost or the condition of a rule, over an HTTP request.
     *
     * @param what which of them it is
     * @throws IllegalArgumentException if the text cannot be parsed
     */
    static ExpressionSource<KeyRequest> ofRequest(String what, String text) {
        String quoted = "'" + text + "'";
        return new ExpressionSource<>(
                text, quoted, "", "the " + what + " " + quoted, new RequestScope(), parse(text, quoted));
    }

    private static List<Expression> parse(String text, String quoted) {
        try {
            Expression parsed = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
            return parsed instanceof CompositeStringExpression composite
                    ? List.of(composite.getExpressions())
                    : List.of(parsed);
        } catch (ParseException | IllegalStateException e) {
            throw new IllegalArgumentException(quoted + " cannot be parsed: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException if an expression cannot work or is forbidden */
    void check() {
        for (Expression part : parts) {
            if (part instanceof SpelExpression expression) {
                checkOf(expression).check(expression);
            }
        }
    }

    /** Whether an expression that was checked has another value for another call, as far as its parts tell. */
    boolean reads(SpelExpression expression) {
        return reads(expression.getAST());
    }

    private boolean reads(SpelNode node) {
        if (node instanceof PropertyOrFieldReference
                || node instanceof VariableReference
                || node instanceof MethodReference call && scope.isOfCall(call)) {
            return true;
        }
        // After the first part of a path come properties of that, and not of the call.
        int own = node instanceof CompoundExpression ? 1 : node.getChildCount();
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if ((i < own || child instanceof Indexer) && reads(child)) {
                return true;
            }
        }
        return false;
    }

    ExpressionCheck checkOf(SpelExpression expression) {
        return new ExpressionCheck(nameOf(expression) + in, scope);
    }

    /** An expression as it is written. */
    static String nameOf(Expression expression) {
        return "#{" + expression.getExpressionString() + "}";
    }

    /** The failure of an expression. Callers cause some by what they send; the application causes others. */
    static RuntimeException noValue(
            String where, RuntimeException cause, BiFunction<String, Throwable, RuntimeException> ofCaller) {
        if (cause.getCause() instanceof MissingLimitKeyException missing) {
            return missing;
        }
        String problem = where + " has no value: " + cause.getMessage();
        return isOfCaller(cause) ? ofCaller.apply(problem, cause) : new IllegalStateException(problem, cause);
    }

    private static boolean isOfCaller(RuntimeException thrown) {
        return thrown instanceof TextFunctions.ArgumentException
                || thrown instanceof SpelEvaluationException e && OF_CALLER.contains(e.getMessageCode());
    }
}
