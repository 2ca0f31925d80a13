package io.limiter.spring.key.spel;

import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A key with expressions, such as <code>sms:#{phone}</code>: parsed and checked once, filled from each call.
 *
 * <p>Callers choose the values, and must not be able to choose the key of another caller. No value may be null or blank.
 * Where text follows a value, the text's first character is escaped within the value: otherwise <code>#{a}:#{b}</code> would
 * be the same for {@code ("1:2", "3")} and {@code ("1", "2:3")}.
 *
 * @param <C> the call
 */
final class KeyTemplate<C> {

    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private final List<Function<C, String>> parts;

    private KeyTemplate(List<Function<C, String>> parts) {
        this.parts = parts;
    }

    /**
     * @param otherRemedy for a template that is the same for all calls, in its message
     * @throws IllegalArgumentException if the template is the same for all calls, cannot work or is forbidden
     */
    static <C> KeyTemplate<C> parse(ExpressionSource<C> source, String otherRemedy) {
        source.check();
        checkCallsDiffer(source, otherRemedy);
        checkHaveText(source);
        List<Expression> expressions = source.parts();
        List<Function<C, String>> parts = new ArrayList<>();
        for (int i = 0; i < expressions.size(); i++) {
            Expression part = expressions.get(i);
            if (part instanceof SpelExpression expression) {
                Character next = i + 1 == expressions.size()
                        ? null
                        : expressions.get(i + 1).getExpressionString().charAt(0);
                parts.add(new Placeholder<>(
                        source.scope().valueOf(expression),
                        ExpressionSource.nameOf(expression) + " in " + source.where(),
                        source.scope().sentFor(expression.getAST()),
                        next == null ? null : Escape.of(next)));
            } else {
                String text = part.getExpressionString();
                parts.add(call -> text);
            }
        }
        return new KeyTemplate<>(List.copyOf(parts));
    }

    private static void checkCallsDiffer(ExpressionSource<?> source, String otherRemedy) {
        List<Expression> parts = source.parts();
        for (int i = 1; i < parts.size(); i++) {
            if (parts.get(i - 1) instanceof SpelExpression && parts.get(i) instanceof SpelExpression) {
                throw new IllegalArgumentException(source.quoted() + " has two values side by side, so that 1 and"
                        + " 23 would be the same as 12 and 3: put text between them, such as #{a}:#{b}");
            }
        }
        if (parts.stream().noneMatch(SpelExpression.class::isInstance)) {
            throw new IllegalArgumentException(source.quoted() + " is the same for all calls: write #{"
                    + source.text().replace("#", "") + "} if it is the name of an argument, or " + otherRemedy);
        }
        if (parts.stream().noneMatch(part -> part instanceof SpelExpression expression && source.reads(expression))) {
            throw new IllegalArgumentException(
                    source.quoted() + " is the same for all calls, because it reads nothing of" + " the "
                            + source.scope().parts() + ": " + otherRemedy);
        }
    }

    /** As far as types are known. */
    private static void checkHaveText(ExpressionSource<?> source) {
        for (Expression part : source.parts()) {
            Class<?> type = part instanceof SpelExpression expression
                    ? source.checkOf(expression).typeOf(expression.getAST())
                    : null;
            if (type != null && Modifier.isFinal(type.getModifiers()) && !type.isPrimitive() && !HAS_TEXT.get(type)) {
                throw new IllegalArgumentException(ExpressionSource.nameOf(part) + source.in() + ": " + noText(type));
            }
        }
    }

    private static String noText(Class<?> type) {
        return "a " + type.getTypeName()
                + " has no toString() of its own, so it would be another key each time: use one of its properties";
    }

    /** @throws MissingLimitKeyException if the call has no value for one of the expressions */
    String of(C call) {
        if (parts.size() == 1) {
            return parts.get(0).apply(call);
        }
        StringBuilder key = new StringBuilder();
        for (Function<C, String> part : parts) {
            key.append(part.apply(call));
        }
        return key.toString();
    }

    /**
     * The value's {@code toString()}; of an {@link Optional}, that of its content.
     *
     * @throws IllegalArgumentException if the class inherits {@code toString()} from {@link Object}, so that each call would
     *     have another key
     */
    static @Nullable String textOf(@Nullable Object value) {
        Object content = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (content == null) {
            return null;
        }
        if (!HAS_TEXT.get(content.getClass())) {
            throw new IllegalArgumentException(noText(content.getClass()));
        }
        return content.toString();
    }

    /**
     * A value that must be neither null nor blank, escaped.
     *
     * @param where the expression, its template and the method, for messages
     * @param sent see {@link Scope#sentFor}
     * @param escape {@code null} if no text follows
     */
    private record Placeholder<C>(
            Function<C, @Nullable Object> value,
            String where,
            String sent,
            @Nullable Escape escape) implements Function<C, String> {

        @Override
        public String apply(C call) {
            String text = text(call);
            if (text == null || text.isBlank()) {
                throw missing(where + " is " + (text == null ? "null" : "blank"), null);
            }
            return escape == null ? text : escape.apply(text);
        }

        private @Nullable String text(C call) {
            try {
                return textOf(value.apply(call));
            } catch (EvaluationException | IllegalArgumentException e) {
                throw ExpressionSource.noValue(where, e, this::missing);
            }
        }

        private MissingLimitKeyException missing(String message, @Nullable Throwable cause) {
            return sent.isEmpty()
                    ? MissingLimitKeyException.inCall(message, cause)
                    : MissingLimitKeyException.inRequest(
                            "the request has no valid " + sent + ", which is part of the key of its limit");
        }
    }

    /** Escapes the character that ends a value. */
    private record Escape(String escape, String escapedEscape, String end, String escapedEnd) {

        static Escape of(char end) {
            String escape = end == '\\' ? "/" : "\\";
            return new Escape(escape, escape + escape, String.valueOf(end), escape + end);
        }

        String apply(String value) {
            return value.replace(escape, escapedEscape).replace(end, escapedEnd);
        }
    }
}
