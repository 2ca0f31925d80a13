package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The text of an annotation's attribute with <code>#{...}</code> in it, and the method whose arguments these are about.
 *
 * @param attribute the attribute's name
 */
record ExpressionSource(String attribute, String text, Method method) {

    private static final SpelExpressionParser PARSER =
            new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.OFF, null));
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /**
     * Its parts, in order: texts and expressions.
     *
     * @throws IllegalArgumentException if it cannot be parsed
     */
    List<Expression> parse() {
        return parse(text, quoted());
    }

    /**
     * The parts of a text, in order: texts and expressions.
     *
     * @throws IllegalArgumentException if it cannot be parsed
     */
    static List<Expression> parse(String text, String quoted) {
        try {
            Expression parsed = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
            return parsed instanceof CompositeStringExpression composite
                    ? List.of(composite.getExpressions())
                    : List.of(parsed);
        } catch (ParseException | IllegalStateException e) {
            throw new IllegalArgumentException(quoted + " cannot be parsed: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException if one of the parts uses what the method has not, or an expression must not */
    void check(List<Expression> parts) {
        String[] names = names();
        for (Expression part : parts) {
            if (part instanceof SpelExpression expression) {
                new ExpressionCheck(quoted(), expression, names, method.getParameterTypes()).run();
            }
        }
    }

    /** See {@link CallContext#positions}. */
    Map<String, Integer> positions() {
        return CallContext.positions(names(), method.getParameterCount());
    }

    /**
     * The expression that is all of the text.
     *
     * @param example what it could look like, for messages
     * @throws IllegalArgumentException if it is not one expression, or that cannot work
     */
    ArgumentExpression single(String example) {
        List<Expression> parts = parse();
        if (parts.size() != 1 || !(parts.get(0) instanceof SpelExpression expression)) {
            throw new IllegalArgumentException(
                    quoted() + " must be one expression over the arguments, such as " + example);
        }
        check(parts);
        return new ArgumentExpression(expression, positions());
    }

    /** For messages about single calls. */
    String where() {
        return "the limit " + quoted() + " of " + MethodName.of(method.getDeclaringClass(), method);
    }

    /** For messages about the annotation. */
    String quoted() {
        return attribute + " '" + text + "'";
    }

    private String @Nullable [] names() {
        return NAMES.getParameterNames(method);
    }
}
