package io.limiter.spring.internal.key.spel;

import io.limiter.spring.internal.key.spel.Expression.Text;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * A key with expressions, such as <code>sms:#{phone}</code>: parsed and checked once, filled from each call.
 *
 * <p>Callers choose the values, and must not be able to choose the key of another caller. No value may be null or blank.
 * Where text follows a value, the text's first character is escaped within the value: otherwise <code>#{a}:#{b}</code> would
 * be the same for {@code ("1:2", "3")} and {@code ("1", "2:3")}.
 *
 * <p>A source such as {@code header:X-Api-Key} is a key, too. Safe for use by many threads.
 */
public final class KeyTemplate {

    /** The address of the caller. */
    static final KeyTemplate IP = new KeyTemplate((arguments, request) -> request.ip(), Needs.of(KeySource.IP));

    /** The user or the address, each with a prefix, because the name of a user can look like an address. */
    static final KeyTemplate USER_OR_IP =
            new KeyTemplate((arguments, request) -> userOrIp(request), Needs.of(KeySource.USER));

    private final Part key;
    private final Needs needs;

    /** A part of a key, or all of it. */
    @FunctionalInterface
    private interface Part {

        /** @throws MissingLimitKeyException if the call has no value for it */
        String of(@Nullable Object[] arguments, KeyRequest request);
    }

    private KeyTemplate(Part key, Needs needs) {
        this.key = key;
        this.needs = needs;
    }

    /** A key that is known; {@code null} or blank if the request has none. */
    static KeyTemplate known(@Nullable String key) {
        return new KeyTemplate((arguments, request) -> needed("key", key), Needs.NONE);
    }

    /**
     * Parses a text of an annotation that is like a key, such as its plan.
     *
     * @param annotated the method that declares the arguments
     * @param otherRemedy for a template that is the same for all calls, in its message
     * @throws IllegalArgumentException if the template is the same for all calls, cannot work or is forbidden
     */
    public static KeyTemplate ofMethod(String attribute, String text, Method annotated, String otherRemedy) {
        return parse(attribute, text, Names.ofMethod(annotated), otherRemedy);
    }

    /**
     * Parses the plan of a rule.
     *
     * @throws IllegalArgumentException as {@link #ofMethod}
     */
    public static KeyTemplate planOfRule(String text) {
        return ofRule("plan", text, "", "#{claim('plan')}", "remove it");
    }

    /** @param words that are keys, too, for messages */
    static KeyTemplate ofRule(String what, String text, String words, String example, String otherRemedy) {
        if (!text.contains("#{") && !KeySource.isForm(text)) {
            throw noSource(words, example, text);
        }
        return parse(what, text, Names.OF_RULE, otherRemedy);
    }

    private static IllegalArgumentException noSource(String words, String example, String text) {
        return new IllegalArgumentException("must be " + words + KeySource.forms()
                + ", or a text with expressions such as " + example + ", was '" + text + "'");
    }

    private static KeyTemplate parse(String attribute, String text, Names names, String otherRemedy) {
        return KeySource.isForm(text) && !text.contains("#{")
                ? source(text)
                : template(Text.of(attribute, text, names), otherRemedy);
    }

    private static KeyTemplate source(String text) {
        KeySource.Read read = KeySource.parse(text);
        if (read == null) {
            throw noSource("", "#{header('X-Tenant')}", text);
        }
        String missing = read.sent();
        return new KeyTemplate((arguments, request) -> needed(missing, read.of(request)), Needs.of(read.source()));
    }

    private static KeyTemplate template(Text text, String otherRemedy) {
        List<Expression.Part> parsed = text.parse();
        checkCallsDiffer(text, parsed, otherRemedy);
        List<Part> parts = new ArrayList<>();
        Set<KeySource.Read> facts = new LinkedHashSet<>();
        for (int i = 0; i < parsed.size(); i++) {
            String literal = parsed.get(i).text();
            Expression expression = parsed.get(i).expression();
            if (expression == null) {
                parts.add((arguments, request) -> literal);
                continue;
            }
            expression.checkHasText();
            facts.addAll(expression.facts());
            String next = i + 1 == parsed.size() ? "" : parsed.get(i + 1).text();
            parts.add(new Placeholder(
                    expression,
                    expression.where(),
                    expression.sent(),
                    next.isEmpty() ? null : Escape.of(next.charAt(0))));
        }
        return new KeyTemplate(parts.size() == 1 ? parts.get(0) : new Joined(parts), Needs.of(facts));
    }

    private static void checkCallsDiffer(Text text, List<Expression.Part> parts, String otherRemedy) {
        for (int i = 1; i < parts.size(); i++) {
            if (parts.get(i - 1).expression() != null && parts.get(i).expression() != null) {
                throw new IllegalArgumentException(text.quoted() + " has two values side by side, so that 1 and"
                        + " 23 would be the same as 12 and 3: put text between them, such as #{a}:#{b}");
            }
        }
        if (parts.stream().allMatch(part -> part.expression() == null)) {
            throw new IllegalArgumentException(text.quoted() + " is the same for all calls: write #{"
                    + text.text().replace("#", "") + "} if it is the name of an argument, or " + otherRemedy);
        }
        if (parts.stream()
                .noneMatch(
                        part -> part.expression() != null && part.expression().readsCall())) {
            throw new IllegalArgumentException(text.quoted() + " is the same for all calls, because it reads nothing of"
                    + " the " + text.names().parts() + ": " + otherRemedy);
        }
    }

    /**
     * The key of a call.
     *
     * @throws MissingLimitKeyException if the call has no value for one of the expressions
     */
    public String of(@Nullable Object[] arguments, KeyRequest request) {
        return key.of(arguments, request);
    }

    /** The key of a request. */
    public String of(KeyRequest request) {
        return of(Names.NO_ARGUMENTS, request);
    }

    /** The facts that it reads. */
    public Needs needs() {
        return needs;
    }

    private static String needed(String what, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw MissingLimitKeyException.inRequest("the request has no " + what + ", which is the key of its limit");
        }
        return value;
    }

    private static String userOrIp(KeyRequest request) {
        String name = request.user();
        return name == null ? "ip:" + request.ip() : "user:" + needed("user name", name);
    }

    /** Several parts of a key. */
    private record Joined(List<Part> parts) implements Part {

        @Override
        public String of(@Nullable Object[] arguments, KeyRequest request) {
            StringBuilder key = new StringBuilder();
            for (Part part : parts) {
                key.append(part.of(arguments, request));
            }
            return key.toString();
        }
    }

    /**
     * A value that must be neither null nor blank, escaped.
     *
     * @param where the expression, its template and the method, for messages
     * @param sent see {@link KeySource#sent}
     * @param escape {@code null} if no text follows
     */
    private record Placeholder(
            Expression value,
            String where,
            String sent,
            @Nullable Escape escape) implements Part {

        @Override
        public String of(@Nullable Object[] arguments, KeyRequest request) {
            String text = text(arguments, request);
            if (text == null || text.isBlank()) {
                throw missing(where + " is " + (text == null ? "null" : "blank"), null);
            }
            return escape == null ? text : escape.apply(text);
        }

        private @Nullable String text(@Nullable Object[] arguments, KeyRequest request) {
            try {
                return Values.textOf(value.value(arguments, request));
            } catch (EvaluationException | IllegalArgumentException e) {
                throw Expression.noValue(where, e, this::missing);
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
