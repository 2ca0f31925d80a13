package io.limiter.spring.internal.key.spel;

import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * The check of an expression when the application starts, in one pass over its parts. They must be parts that only read, their
 * names must exist, and operators over text must do what they say: {@code '3' * 2} is {@code 33}, {@code '3' + 1} is {@code 31},
 * {@code '3' == 3} is never true, and all other operators fail.
 */
final class ExpressionCheck {

    private static final Values.Properties PROPERTIES = new Values.Properties();
    private static final Pattern NUMERIC = Pattern.compile("\\s*[+-]?\\d+(\\.\\d*)?\\s*");

    private final String subject;
    private final Names names;
    private final SpelNode expression;
    private final Type type;
    private final Set<KeySource.Read> facts = new LinkedHashSet<>();
    private boolean readsArguments;

    private enum Kind {
        /** A text that a caller has sent. */
        SENT,
        /** A text that the expression makes. */
        TEXT,
        NUMBER,
        BOOLEAN,
        UNKNOWN
    }

    /**
     * What is known of a value before there is a call.
     *
     * @param known its class; {@code null} if that is unknown
     */
    private record Type(Kind kind, @Nullable Class<?> known) {

        private static final Type UNKNOWN = new Type(Kind.UNKNOWN, null);
        private static final Type TEXT = new Type(Kind.TEXT, String.class);
        private static final Type BOOLEAN = new Type(Kind.BOOLEAN, boolean.class);

        private static Type of(@Nullable Class<?> type) {
            if (type == null) {
                return UNKNOWN;
            }
            if (CharSequence.class.isAssignableFrom(type) || type == char.class || type == Character.class) {
                return new Type(Kind.SENT, type);
            }
            if (type == boolean.class || type == Boolean.class) {
                return new Type(Kind.BOOLEAN, type);
            }
            boolean isNumber = Number.class.isAssignableFrom(type) || type.isPrimitive() && type != void.class;
            return new Type(isNumber ? Kind.NUMBER : Kind.UNKNOWN, type);
        }

        private boolean isText() {
            return kind == Kind.SENT || kind == Kind.TEXT;
        }

        private boolean isOne(Class<?> type) {
            return known != null && type.isAssignableFrom(known);
        }

        /** The type of a value that is one of two. */
        private Type or(Type other) {
            boolean isSent = kind == Kind.SENT || other.kind == Kind.SENT;
            return new Type(
                    isSent ? Kind.SENT : kind == other.kind ? kind : Kind.UNKNOWN,
                    Objects.equals(known, other.known) ? known : null);
        }
    }

    /**
     * @param subject the expression, for messages
     * @throws IllegalArgumentException if the expression cannot work or is forbidden
     */
    ExpressionCheck(String subject, SpelNode expression, Names names) {
        this.subject = subject;
        this.names = names;
        this.expression = expression;
        this.type = of(expression, true);
    }

    /** The facts of the request that the expression reads. */
    Set<KeySource.Read> facts() {
        return facts;
    }

    boolean readsArguments() {
        return readsArguments;
    }

    /** @param onRoot whether a plain name belongs to the call, rather than to an element of a selection or projection */
    private Type of(SpelNode node, boolean onRoot) {
        if (node instanceof Literal literal) {
            Object value = literal.getLiteralValue().getValue();
            return value instanceof String ? Type.TEXT : Type.of(value == null ? null : value.getClass());
        }
        if (node instanceof PropertyOrFieldReference property) {
            return onRoot ? ofArgument(property.getName(), names.problemOf(property.getName())) : Type.UNKNOWN;
        }
        if (node instanceof VariableReference) {
            String name = Names.nameOf(node);
            Type argument = ofArgument(name, names.problemOfVariable(name, !onRoot));
            return onRoot ? argument : Type.UNKNOWN;
        }
        if (node instanceof MethodReference call) {
            return onRoot ? ofFunction(call) : ofMethod(call, Type.UNKNOWN);
        }
        if (node instanceof CompoundExpression) {
            Type type = of(node.getChild(0), onRoot);
            for (int i = 1; i < node.getChildCount(); i++) {
                type = ofNext(node.getChild(i), type);
            }
            return type;
        }
        if (node instanceof Indexer) {
            checkIndex(node.getChild(0));
            return Type.UNKNOWN;
        }
        if (node instanceof Selection || node instanceof Projection || node instanceof InlineList) {
            checkChildren(node, onRoot && node instanceof InlineList);
            return Type.UNKNOWN;
        }
        if (node instanceof Ternary) {
            checkIsNoText(node.getChild(0), of(node.getChild(0), onRoot));
            return of(node.getChild(1), onRoot).or(of(node.getChild(2), onRoot));
        }
        if (node instanceof Elvis) {
            return of(node.getChild(0), onRoot).or(of(node.getChild(1), onRoot));
        }
        if (node instanceof OperatorNot) {
            checkIsNoText(node.getChild(0), of(node.getChild(0), onRoot));
            return Type.BOOLEAN;
        }
        if (node instanceof Operator operator) {
            return ofOperator(operator, onRoot);
        }
        throw mustNotUse(node);
    }

    private void checkChildren(SpelNode node, boolean onRoot) {
        for (int i = 0; i < node.getChildCount(); i++) {
            of(node.getChild(i), onRoot);
        }
    }

    private Type ofArgument(String name, @Nullable String problem) {
        fail(problem);
        Class<?> type = names.typeOf(name);
        readsArguments |= type != null;
        return Type.of(type);
    }

    private Type ofFunction(MethodReference call) {
        fail(names.problemOf(call));
        checkChildren(call, true);
        KeySource source = KeySource.ofFunction(call.getName());
        if (source != null) {
            facts.add(new KeySource.Read(source, Names.nameIn(call)));
        }
        return Type.of(call.getName().equals(Values.NUMBER) ? Number.class : String.class);
    }

    private Type ofMethod(MethodReference call, Type of) {
        Class<?> result = Values.typeOf(call);
        if (result == null) {
            throw mustNotUse(call);
        }
        return result == String.class && of.kind == Kind.TEXT ? Type.TEXT : Type.of(result);
    }

    /** The type of what follows a value in a path. */
    private Type ofNext(SpelNode next, Type of) {
        if (next instanceof MethodReference call) {
            return ofMethod(call, of);
        }
        // The properties of a map are its entries.
        if (next instanceof PropertyOrFieldReference property) {
            return of.known == null || of.isOne(Map.class) ? Type.UNKNOWN : ofProperty(property, of.known);
        }
        Type type = of(next, false);
        if ((next instanceof Selection || next instanceof Projection) && of.isOne(CharSequence.class)) {
            throw mustNotUse(next);
        }
        return type;
    }

    /** Rejects methods that are written like properties. */
    private Type ofProperty(PropertyOrFieldReference property, Class<?> of) {
        String name = property.getName();
        Class<?> found = PROPERTIES.typeOf(name, of);
        if (found == null && Values.isMethod(name, of)) {
            throw mustNotUse(property);
        }
        if (found == null && Values.isMissing(name, of)) {
            throw problem(
                    " uses '" + name + "', which is not a property of " + of.getTypeName() + ": " + names.allowed());
        }
        return Type.of(found);
    }

    /** A plain name is the key of a map's entry; anything else belongs to the call again, also in a selection. */
    private void checkIndex(SpelNode index) {
        if (index instanceof PropertyOrFieldReference) {
            readsArguments = true;
        } else {
            of(index, true);
        }
    }

    private Type ofOperator(Operator operator, boolean onRoot) {
        SpelNode left = operator.getChild(0);
        SpelNode right = operator.getChildCount() == 1 ? left : operator.getChild(1);
        Type one = of(left, onRoot);
        Type other = of(right, onRoot);
        switch (operator.getOperatorName()) {
            case "+", "-", "*", "/", "%", "^":
                return ofArithmetic(operator, left, one, right, other);
            case "and", "or":
                checkIsNoText(left, one);
                checkIsNoText(right, other);
                return Type.BOOLEAN;
            case "matches":
                checkPattern(right);
                return Type.BOOLEAN;
            case "==", "!=", "<", "<=", ">", ">=", "between", "instanceof":
                checkComparison(operator, left, one, right, other);
                return Type.BOOLEAN;
            default:
                // Such as ++, which writes.
                throw mustNotUse(operator);
        }
    }

    private Type ofArithmetic(Operator operator, SpelNode left, Type one, SpelNode right, Type other) {
        boolean mayJoin = operator.getOperatorName().equals("+") && operator.getChildCount() == 2;
        if (mayJoin && (one.isText() || other.isText())) {
            if (one.kind == Kind.SENT && other.kind == Kind.NUMBER
                    || other.kind == Kind.SENT && one.kind == Kind.NUMBER) {
                throw needsNumber(operator, one.kind == Kind.SENT ? left : right);
            }
            return Type.TEXT;
        }
        if (one.isText() || other.isText()) {
            throw needsNumber(operator, one.isText() ? left : right);
        }
        if (operator.getOperatorName().equals("^") && !(right instanceof IntLiteral)) {
            throw problem(" must not raise to the power of " + right.toStringAST()
                    + ", because a caller could choose one that takes hours: write a number there");
        }
        return mayJoin ? new Type(one.or(other).kind, null) : Type.of(Number.class);
    }

    private void checkComparison(Operator operator, SpelNode left, Type one, SpelNode right, Type other) {
        if (one.kind != Kind.SENT && other.kind != Kind.SENT) {
            return;
        }
        SpelNode sent = one.kind == Kind.SENT ? left : right;
        Type compared = one.kind == Kind.SENT ? other : one;
        if (compared.kind == Kind.BOOLEAN) {
            throw problem(" compares " + sent.toStringAST()
                    + ", which is a text, with true or false: compare it with 'true' or 'false'");
        }
        boolean equality = operator.getOperatorName().equals("==")
                || operator.getOperatorName().equals("!=");
        boolean byLetters = !equality && (compared.kind == Kind.SENT || isNumeric(left) || isNumeric(right));
        if (compared.kind == Kind.NUMBER || byLetters) {
            throw needsNumber(operator, sent);
        }
    }

    private static boolean isNumeric(SpelNode node) {
        return node instanceof StringLiteral literal
                && NUMERIC.matcher(String.valueOf(literal.getLiteralValue().getValue()))
                        .matches();
    }

    private IllegalArgumentException needsNumber(Operator operator, SpelNode text) {
        return problem(" uses " + operator.getOperatorName() + " over " + text.toStringAST()
                + ", which is a text: write number(" + text.toStringAST() + ")");
    }

    private void checkIsNoText(SpelNode node, Type of) {
        if (of.isText()) {
            throw problem(" uses " + node.toStringAST() + ", which is a text, as true or false: compare it, such as "
                    + node.toStringAST() + " == 'true'");
        }
    }

    /** A pattern of a caller could take hours, and a broken one would fail each call. */
    private void checkPattern(SpelNode pattern) {
        if (!(pattern instanceof StringLiteral literal)) {
            throw problem(
                    " must match a pattern that is written there, such as '[a-z]+', and not " + pattern.toStringAST());
        }
        try {
            Pattern.compile(String.valueOf(literal.getLiteralValue().getValue()));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(subject + " has a broken pattern: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException if the expression is neither true nor false */
    void checkIsCondition() {
        checkIsNoText(expression, type);
        if (type.kind == Kind.NUMBER) {
            throw problem(" is a number, and must be true or false: compare it, such as " + expression.toStringAST()
                    + " > 100");
        }
    }

    /** @throws IllegalArgumentException if the expression is no number; a text of digits is one if no argument is read */
    void checkIsNumber() {
        if (type.kind == Kind.BOOLEAN || type.kind == Kind.TEXT) {
            throw problem(" is " + (type.kind == Kind.TEXT ? "a text" : "true or false")
                    + ", and must be a number from 0 on");
        }
        if (type.kind == Kind.SENT && readsArguments) {
            throw problem(" is a text, and must be a number from 0 on: write number(" + expression.toStringAST() + ")");
        }
    }

    /** @throws IllegalArgumentException if the class of its values is known, and they have no texts */
    void checkHasText() {
        Class<?> of = type.known;
        if (of != null && Modifier.isFinal(of.getModifiers()) && !of.isPrimitive() && !Values.hasText(of)) {
            throw problem(": " + Values.noText(of));
        }
    }

    private IllegalArgumentException mustNotUse(SpelNode node) {
        return problem(" must not use " + node.toStringAST() + ": " + names.allowed());
    }

    private void fail(@Nullable String problem) {
        if (problem != null) {
            throw problem(" " + problem);
        }
    }

    private IllegalArgumentException problem(String problem) {
        return new IllegalArgumentException(subject + problem);
    }
}
