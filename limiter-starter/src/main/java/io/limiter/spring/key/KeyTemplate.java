package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A key with placeholders, <code>sms:#{phone}</code>: parsed and checked once, filled from the arguments of each call.
 *
 * <p>The arguments come from whoever calls, so no choice of them may lead to the key of others. None of the values may
 * be null or blank, and where text follows a value, its first character is escaped within the value: otherwise
 * <code>#{a}:#{b}</code> would be the same for {@code ("1:2", "3")} and {@code ("1", "2:3")}.
 */
final class KeyTemplate implements CallKey {

    private static final SpelExpressionParser PARSER =
            new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.OFF, null));
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final PropertyAccessor[] READ_ONLY = {
        new MapEntries(), DataBindingPropertyAccessor.forReadOnlyAccess()
    };

    private final String template;
    private final Method method;
    private final String @Nullable [] argumentNames;
    private final List<Part> parts;

    private KeyTemplate(String template, Method method, String @Nullable [] argumentNames, List<Part> parts) {
        this.template = template;
        this.method = method;
        this.argumentNames = argumentNames;
        this.parts = parts;
    }

    /**
     * @throws IllegalArgumentException if the template is blank, cannot be parsed, is the same for all calls, or uses
     *     what the method has not or the key must not
     */
    static KeyTemplate parse(String template, Method method) {
        if (template.isBlank()) {
            throw new IllegalArgumentException(
                    "limitType CUSTOM needs a key that says whose permits a call takes, such as #{phone}");
        }
        String[] names = NAMES.getParameterNames(method);
        List<Part> parts = parts(template);
        for (Part part : parts) {
            if (part.expression() instanceof SpelExpression expression) {
                new KeyExpressionCheck(template, expression, names, method.getParameterCount()).run();
            }
        }
        return new KeyTemplate(template, method, names, parts);
    }

    private static List<Part> parts(String template) {
        List<Expression> expressions = List.of(expressions(template));
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            Expression expression = expressions.get(i);
            Expression next = i + 1 < expressions.size() ? expressions.get(i + 1) : null;
            if (expression instanceof SpelExpression && next instanceof SpelExpression) {
                throw new IllegalArgumentException("key '" + template + "' has two values side by side, so that 1 and"
                        + " 23 would be the same as 12 and 3: put text between them, such as #{a}:#{b}");
            }
            parts.add(new Part(
                    expression, next == null ? null : next.getExpressionString().charAt(0)));
        }
        if (parts.stream().noneMatch(part -> part.expression() instanceof SpelExpression)) {
            throw new IllegalArgumentException("key '" + template + "' is the same for all calls: write #{"
                    + template.replace("#", "") + "} if it is the name of an argument, or use limitType METHOD");
        }
        return List.copyOf(parts);
    }

    private static Expression[] expressions(String template) {
        try {
            Expression parsed = PARSER.parseExpression(template, ParserContext.TEMPLATE_EXPRESSION);
            return parsed instanceof CompositeStringExpression composite
                    ? composite.getExpressions()
                    : new Expression[] {parsed};
        } catch (ParseException | IllegalStateException e) {
            throw new IllegalArgumentException("key '" + template + "' cannot be parsed: " + e.getMessage(), e);
        }
    }

    @Override
    public String of(@Nullable Object[] arguments) {
        EvaluationContext context = context(arguments);
        StringBuilder key = new StringBuilder();
        for (Part part : parts) {
            if (part.expression() instanceof SpelExpression expression) {
                key.append(part.escape(value(expression, context)));
            } else {
                key.append(part.expression().getExpressionString());
            }
        }
        return key.toString();
    }

    private EvaluationContext context(@Nullable Object[] arguments) {
        Map<String, @Nullable Object> byName = new HashMap<>();
        SimpleEvaluationContext context = SimpleEvaluationContext.forPropertyAccessors(READ_ONLY)
                .withAssignmentDisabled()
                .withRootObject(byName)
                .build();
        for (int i = 0; i < arguments.length; i++) {
            context.setVariable("p" + i, arguments[i]);
            context.setVariable("a" + i, arguments[i]);
        }
        for (int i = 0; argumentNames != null && i < argumentNames.length; i++) {
            context.setVariable(argumentNames[i], arguments[i]);
            byName.put(argumentNames[i], arguments[i]);
        }
        return context;
    }

    private String value(SpelExpression expression, EvaluationContext context) {
        String text;
        try {
            text = KeyText.of(expression.getValue(context));
        } catch (EvaluationException | IllegalArgumentException e) {
            String problem = describe(expression) + " has no value: " + e.getMessage();
            throw isForNull(e) ? new MissingLimitKeyException(problem, e) : new IllegalStateException(problem, e);
        }
        if (text == null || text.isBlank()) {
            throw new MissingLimitKeyException(describe(expression) + " is " + (text == null ? "null" : "blank"));
        }
        return text;
    }

    /** Whether a null on the way is to blame, which callers can send, rather than the expression. */
    private static boolean isForNull(RuntimeException thrown) {
        return thrown instanceof SpelEvaluationException e
                && (e.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                        || e.getMessageCode() == SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);
    }

    private String describe(SpelExpression expression) {
        return "#{" + expression.getExpressionString() + "} in the limit key '" + template + "' of "
                + MethodName.of(method.getDeclaringClass(), method);
    }

    /**
     * @param expression text or a placeholder
     * @param separator the first character of what follows, if anything does; after a placeholder that is text
     */
    private record Part(Expression expression, @Nullable Character separator) {

        String escape(String value) {
            if (separator == null) {
                return value;
            }
            String escape = separator == '\\' ? "/" : "\\";
            String end = separator.toString();
            return value.replace(escape, escape + escape).replace(end, escape + end);
        }
    }
}
