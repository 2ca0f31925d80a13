package io.limiter.spring.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A key with placeholders, <code>sms:#{phone}</code>: parsed and checked once, filled from the arguments of each call.
 *
 * <p>The arguments come from whoever calls, so no choice of them may lead to the key of others. None of the values may
 * be null or blank, and where text follows a value, its first character is escaped within the value: otherwise
 * <code>#{a}:#{b}</code> would be the same for {@code ("1:2", "3")} and {@code ("1", "2:3")}.
 */
final class KeyTemplate implements CallKey {

    private final Map<String, Integer> positions;
    private final List<KeyPart<CallContext>> parts;

    private KeyTemplate(Map<String, Integer> positions, List<KeyPart<CallContext>> parts) {
        this.positions = positions;
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
        return parse(new ExpressionSource("key", template, method), "use limitType METHOD");
    }

    /**
     * As {@link #parse}, of the slot of a key.
     *
     * @throws IllegalArgumentException if the template cannot be parsed, is the same for all calls, or uses what the
     *     method has not or a key must not
     */
    static KeyTemplate parseSlot(String template, Method method) {
        return parse(new ExpressionSource("slot", template, method), "leave the slot out");
    }

    private static KeyTemplate parse(ExpressionSource source, String otherRemedy) {
        List<Expression> expressions = source.parse();
        checkCallsDiffer(expressions, source.text(), source.quoted(), otherRemedy);
        source.check(expressions);
        Map<String, Integer> positions = source.positions();
        return new KeyTemplate(positions, parts(expressions, positions, source.where()));
    }

    /** @throws IllegalArgumentException if calls that differ would have one key */
    static void checkCallsDiffer(List<Expression> expressions, String text, String quoted, String otherRemedy) {
        for (int i = 1; i < expressions.size(); i++) {
            if (expressions.get(i - 1) instanceof SpelExpression && expressions.get(i) instanceof SpelExpression) {
                throw new IllegalArgumentException(quoted + " has two values side by side, so that 1 and"
                        + " 23 would be the same as 12 and 3: put text between them, such as #{a}:#{b}");
            }
        }
        if (expressions.stream().noneMatch(SpelExpression.class::isInstance)) {
            throw new IllegalArgumentException(quoted + " is the same for all calls: write #{" + text.replace("#", "")
                    + "} if it is the name of an argument, or " + otherRemedy);
        }
    }

    private static List<KeyPart<CallContext>> parts(
            List<Expression> expressions, Map<String, Integer> positions, String where) {
        List<KeyPart<CallContext>> parts = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            String text = expressions.get(i).getExpressionString();
            if (expressions.get(i) instanceof SpelExpression expression) {
                ArgumentExpression argument = new ArgumentExpression(expression, positions);
                parts.add(new KeyPlaceholder<>(
                        (CallContext call) -> argument.value(call), argument + " in " + where, next(expressions, i)));
            } else {
                parts.add(call -> text);
            }
        }
        return List.copyOf(parts);
    }

    @Override
    public String of(@Nullable Object[] arguments) {
        return join(parts, new CallContext(positions, arguments));
    }

    /** The first character of the text behind an expression; {@code null} if that is the last part. */
    static @Nullable Character next(List<Expression> expressions, int index) {
        return index + 1 == expressions.size()
                ? null
                : expressions.get(index + 1).getExpressionString().charAt(0);
    }

    static <C> String join(List<KeyPart<C>> parts, C call) {
        if (parts.size() == 1) {
            return parts.get(0).in(call);
        }
        StringBuilder key = new StringBuilder();
        for (KeyPart<C> part : parts) {
            key.append(part.in(call));
        }
        return key.toString();
    }
}
