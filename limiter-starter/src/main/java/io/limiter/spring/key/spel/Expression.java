package io.limiter.spring.key.spel;

import io.limiter.internal.arithmetic.Check;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression of a key, a cost or another text, such as <code>#{phone}</code>. It is parsed and checked when the application starts:
 * all names must exist, {@link ReadOnlyAccess} must allow all parts, and {@link ExpressionTypes} all operators.
 */
final class Expression {

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

    private static final SpelExpressionParser PARSER = new SpelExpressionParser(Names.CONFIGURATION);
    private static final ReadOnlyAccess.Properties PROPERTIES = new ReadOnlyAccess.Properties();
    private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");
    private static final BigDecimal MOST = BigDecimal.valueOf(Check.MAX_PERMITS);

    private final Text text;
    private final SpelExpression parsed;
    private final String subject;
    private final ExpressionTypes types;
    private final Names.Value value;
    private final Set<Names.Read> facts = new LinkedHashSet<>();
    private boolean readsArguments;

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
        this.subject = name() + text.in();
        this.types = new ExpressionTypes(subject, text.names());
        check(parsed.getAST(), true);
        types.of(parsed.getAST(), true);
        this.value = text.names().valueOf(parsed);
        addReads(parsed.getAST());
    }

    /**
     * A text that is one expression, which is true or false.
     *
     * @param example an expression, for messages
     * @throws IllegalArgumentException if the text is not one expression, or it cannot work or is forbidden
     */
    static Expression condition(Text text, String example) {
        Expression expression = single(text, example);
        expression.types.checkIsCondition(expression.parsed.getAST());
        return expression;
    }

    /** As {@link #condition}, for one that is a number. Facts of a request are texts, so one of digits is a number. */
    static Expression number(Text text, String example) {
        Expression expression = single(text, example);
        expression.types.checkIsNumber(expression.parsed.getAST(), !expression.readsArguments);
        return expression;
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
    Set<Names.Read> facts() {
        return facts;
    }

    /** Whether it has another value for another call, as far as its parts tell. */
    boolean readsCall() {
        return readsArguments || !facts.isEmpty();
    }

    /** See {@link Names#sentFor}. */
    String sent() {
        return Names.sentFor(facts);
    }

    private void addReads(SpelNode node) {
        if (node instanceof PropertyOrFieldReference || node instanceof VariableReference) {
            readsArguments = true;
        } else if (node instanceof MethodReference call && Names.fact(call.getName()) != null) {
            facts.add(new Names.Read(call.getName(), Names.nameIn(call)));
        }
        // After the first part of a path come properties of that, and not of the call.
        int own = node instanceof CompoundExpression ? 1 : node.getChildCount();
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (i < own || child instanceof Indexer) {
                addReads(child);
            }
        }
    }

    /** @param onRoot whether a plain name belongs to the call, rather than to another value */
    private void check(SpelNode node, boolean onRoot) {
        if (!ReadOnlyAccess.allows(node)) {
            throw mustNotUse(node);
        }
        if (node instanceof PropertyOrFieldReference property) {
            fail(onRoot ? text.names().problemOf(property.getName()) : null);
        } else if (node instanceof VariableReference variable) {
            fail(text.names().problemOfVariable(Names.nameOf(variable), !onRoot));
        } else if (node instanceof MethodReference call && onRoot) {
            fail(text.names().problemOf(call));
            checkChildren(node, true);
        } else if (node instanceof MethodReference call && !ReadOnlyAccess.allows(call)) {
            throw mustNotUse(node);
        } else {
            checkChildren(node, onRoot);
            if (node instanceof CompoundExpression) {
                checkProperties(node, onRoot);
            }
        }
    }

    private void checkChildren(SpelNode node, boolean onRoot) {
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (node instanceof Indexer) {
                checkIndex(child);
            } else if (node instanceof CompoundExpression) {
                check(child, onRoot && i == 0);
            } else {
                check(child, onRoot && !(node instanceof Selection) && !(node instanceof Projection));
            }
        }
    }

    /** A plain name is the key of a map's entry; anything else belongs to the call again. */
    private void checkIndex(SpelNode index) {
        if (!(index instanceof PropertyOrFieldReference)) {
            check(index, true);
        }
    }

    /** Rejects methods that are written like properties, as far as types are known. */
    private void checkProperties(SpelNode path, boolean onRoot) {
        Class<?> type = onRoot ? text.names().typeOf(path.getChild(0)) : null;
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            SpelNode next = path.getChild(i);
            if ((next instanceof Selection || next instanceof Projection)
                    && CharSequence.class.isAssignableFrom(type)) {
                throw mustNotUse(next);
            }
            Class<?> found = typeOf(next, type);
            // The properties of a map are its entries.
            if (found == null
                    && next instanceof PropertyOrFieldReference property
                    && !Map.class.isAssignableFrom(type)) {
                if (isMethod(property.getName(), type)) {
                    throw mustNotUse(property);
                }
                if (isMissing(property.getName(), type)) {
                    throw new IllegalArgumentException(
                            subject + " uses '" + property.getName() + "', which is no property of "
                                    + type.getTypeName() + ": " + text.names().allowed());
                }
            }
            type = found;
        }
    }

    /** The type of what follows a value of a type in a path; {@code null} if that is unknown. */
    private static @Nullable Class<?> typeOf(SpelNode next, Class<?> type) {
        if (next instanceof MethodReference call) {
            return ReadOnlyAccess.isOfText(call) && CharSequence.class.isAssignableFrom(type) ? String.class : null;
        }
        return next instanceof PropertyOrFieldReference property && !Map.class.isAssignableFrom(type)
                ? PROPERTIES.typeOf(property.getName(), type)
                : null;
    }

    /** Whether no value of the type can have the property. A value of a class that is not final may have more, or be a map. */
    private static boolean isMissing(String name, Class<?> type) {
        boolean mayBeMap = type.isInterface() || type == Object.class;
        // Spring 7 reads properties of what is in an Optional.
        return type != Optional.class && Modifier.isFinal(type.getModifiers()) || name.equals("class") && !mayBeMap;
    }

    /** Without abstract methods of applications, which a record may implement. */
    private static boolean isMethod(String name, Class<?> type) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method ->
                        method.getName().equals(name) && method.getParameterCount() == 0 && isImplemented(method));
    }

    private static boolean isImplemented(Method method) {
        return !Modifier.isAbstract(method.getModifiers())
                || method.getDeclaringClass().getName().startsWith("java.");
    }

    /** Its type if it is the name of a value, or a path of properties; {@code null} if that is unknown. */
    private @Nullable Class<?> type() {
        SpelNode node = parsed.getAST();
        if (!(node instanceof CompoundExpression path)) {
            return text.names().typeOf(node);
        }
        Class<?> type = text.names().typeOf(path.getChild(0));
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            type = typeOf(path.getChild(i), type);
        }
        return type;
    }

    /** @throws IllegalArgumentException if its type is known, and its values have no texts */
    void checkHasText() {
        Class<?> type = type();
        if (type != null
                && Modifier.isFinal(type.getModifiers())
                && !type.isPrimitive()
                && !TextFunctions.hasText(type)) {
            throw new IllegalArgumentException(subject + ": " + TextFunctions.noText(type));
        }
    }

    private IllegalArgumentException mustNotUse(SpelNode node) {
        return new IllegalArgumentException(subject + " must not use " + node.toStringAST() + ": "
                + text.names().allowed());
    }

    private void fail(@Nullable String problem) {
        if (problem != null) {
            throw new IllegalArgumentException(subject + " " + problem);
        }
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

    /** @throws InvalidLimitArgumentException if it is no whole number from 0 to 2<sup>53</sup> - 1 */
    long number(@Nullable Object[] arguments, KeyRequest request) {
        Object result = valid(arguments, request);
        if (result instanceof Integer whole && whole >= 0) {
            return whole;
        }
        BigDecimal number = decimal(result);
        if (number == null
                || number.signum() < 0
                || number.compareTo(MOST) > 0
                || number.stripTrailingZeros().scale() > 0) {
            throw invalid(text.where() + " must be a whole number from 0 to " + MOST + ", was " + result, null);
        }
        return number.longValueExact();
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
                || !readsArguments
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
        return thrown instanceof TextFunctions.ArgumentException
                || thrown instanceof SpelEvaluationException e && OF_CALLER.contains(e.getMessageCode());
    }
}
