package io.limiter.spring.key.spel;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FloatLiteral;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.LongLiteral;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorMatches;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.RealLiteral;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Finds operators over text that would not do what they say, before the first call. {@code '3' * 2} is {@code 33}, {@code '3' + 1} is
 * {@code 31}, {@code '3' == 3} is never true, and all others of them fail.
 *
 * @param subject the expression, for messages
 */
record ExpressionTypes(String subject, Names names) {

    private static final ReadOnlyAccess.Properties PROPERTIES = new ReadOnlyAccess.Properties();
    private static final Pattern NUMERIC = Pattern.compile("\\s*[+-]?\\d+(\\.\\d*)?\\s*");

    /** What is known of a value before there is a call. */
    enum Type {
        /** A text that a caller has sent. */
        SENT,
        TEXT,
        NUMBER,
        BOOLEAN,
        UNKNOWN;

        private boolean isText() {
            return this == SENT || this == TEXT;
        }

        /** That of a value that is one of two. */
        private Type or(Type other) {
            return this == SENT || other == SENT ? SENT : this == other ? this : UNKNOWN;
        }

        private static Type of(@Nullable Class<?> type) {
            if (type == null) {
                return UNKNOWN;
            }
            if (CharSequence.class.isAssignableFrom(type) || type == char.class || type == Character.class) {
                return SENT;
            }
            if (type == boolean.class || type == Boolean.class) {
                return BOOLEAN;
            }
            return Number.class.isAssignableFrom(type) || type.isPrimitive() && type != void.class ? NUMBER : UNKNOWN;
        }
    }

    /**
     * The type of an expression.
     *
     * @param onRoot whether a plain name belongs to the call, rather than to another value
     * @throws IllegalArgumentException if an operator in it has no sensible result
     */
    Type of(SpelNode node, boolean onRoot) {
        if (node instanceof StringLiteral) {
            return Type.TEXT;
        }
        if (node instanceof IntLiteral
                || node instanceof LongLiteral
                || node instanceof RealLiteral
                || node instanceof FloatLiteral) {
            return Type.NUMBER;
        }
        if (node instanceof BooleanLiteral) {
            return Type.BOOLEAN;
        }
        if (node instanceof PropertyOrFieldReference || node instanceof VariableReference) {
            return onRoot ? Type.of(names.typeOf(node)) : Type.UNKNOWN;
        }
        if (node instanceof MethodReference call) {
            checkChildren(node, onRoot);
            return onRoot ? ofFunction(call) : ofMethod(call, Type.UNKNOWN);
        }
        if (node instanceof CompoundExpression) {
            return ofPath(node, onRoot);
        }
        if (node instanceof Ternary) {
            checkIsNoText(node.getChild(0), onRoot);
            return of(node.getChild(1), onRoot).or(of(node.getChild(2), onRoot));
        }
        if (node instanceof Elvis) {
            return of(node.getChild(0), onRoot).or(of(node.getChild(1), onRoot));
        }
        if (node instanceof OpAnd || node instanceof OpOr || node instanceof OperatorNot) {
            for (int i = 0; i < node.getChildCount(); i++) {
                checkIsNoText(node.getChild(i), onRoot);
            }
            return Type.BOOLEAN;
        }
        if (node instanceof OperatorMatches) {
            checkPattern(node.getChild(1));
            checkChildren(node, onRoot);
            return Type.BOOLEAN;
        }
        if (node instanceof Operator operator) {
            return ofOperator(operator, onRoot);
        }
        checkChildren(node, false);
        return Type.UNKNOWN;
    }

    private void checkChildren(SpelNode node, boolean onRoot) {
        for (int i = 0; i < node.getChildCount(); i++) {
            of(node.getChild(i), onRoot);
        }
    }

    private static Type ofFunction(MethodReference call) {
        return call.getName().equals(TextFunctions.NUMBER) ? Type.NUMBER : Type.SENT;
    }

    private static Type ofMethod(MethodReference call, Type of) {
        return switch (call.getName()) {
            case "length", "size" -> Type.NUMBER;
            case "isEmpty" -> Type.BOOLEAN;
            case "trim", "strip", "toLowerCase" -> of == Type.TEXT ? Type.TEXT : Type.SENT;
            default -> Type.UNKNOWN;
        };
    }

    private Type ofPath(SpelNode path, boolean onRoot) {
        Type type = of(path.getChild(0), onRoot);
        Class<?> known = onRoot ? names.typeOf(path.getChild(0)) : null;
        for (int i = 1; i < path.getChildCount(); i++) {
            SpelNode next = path.getChild(i);
            if (next instanceof MethodReference call) {
                type = ofMethod(call, type);
                known = null;
            } else if (next instanceof PropertyOrFieldReference property) {
                known = known == null || Map.class.isAssignableFrom(known)
                        ? null
                        : PROPERTIES.typeOf(property.getName(), known);
                type = Type.of(known);
            } else {
                // An index belongs to the call again, and the conditions of selections to their elements.
                checkChildren(next, next.getClass().getSimpleName().equals("Indexer") && onRoot);
                known = null;
                type = Type.UNKNOWN;
            }
        }
        return type;
    }

    private Type ofOperator(Operator operator, boolean onRoot) {
        SpelNode left = operator.getChild(0);
        SpelNode right = operator.getChildCount() == 1 ? left : operator.getChild(1);
        Type one = of(left, onRoot);
        Type other = of(right, onRoot);
        if (operator instanceof OpPlus && operator.getChildCount() == 2) {
            if (one == Type.SENT && other == Type.NUMBER || other == Type.SENT && one == Type.NUMBER) {
                throw needsNumber(operator, one == Type.SENT ? left : right);
            }
            return one.isText() || other.isText() ? Type.TEXT : one == other ? one : Type.UNKNOWN;
        }
        if (isArithmetic(operator)) {
            if (one.isText() || other.isText()) {
                throw needsNumber(operator, one.isText() ? left : right);
            }
            if (operator instanceof OperatorPower && !(right instanceof IntLiteral)) {
                throw new IllegalArgumentException(subject + " must not raise to the power of " + right.toStringAST()
                        + ", because a caller could choose one that takes hours: write a number there");
            }
            return Type.NUMBER;
        }
        checkComparison(operator, left, one, right, other);
        return Type.BOOLEAN;
    }

    private static boolean isArithmetic(Operator operator) {
        return operator instanceof OpPlus
                || operator instanceof OpMinus
                || operator instanceof OpMultiply
                || operator instanceof OpDivide
                || operator instanceof OpModulus
                || operator instanceof OperatorPower;
    }

    private void checkComparison(Operator operator, SpelNode left, Type one, SpelNode right, Type other) {
        if (one != Type.SENT && other != Type.SENT) {
            return;
        }
        SpelNode sent = one == Type.SENT ? left : right;
        Type compared = one == Type.SENT ? other : one;
        if (compared == Type.BOOLEAN) {
            throw new IllegalArgumentException(subject + " compares " + sent.toStringAST()
                    + ", which is a text, with true or false: compare it with 'true' or 'false'");
        }
        boolean equality = operator instanceof OpEQ || operator instanceof OpNE;
        boolean byLetters = !equality && (compared == Type.SENT || isNumeric(left) || isNumeric(right));
        if (compared == Type.NUMBER || byLetters) {
            throw needsNumber(operator, sent);
        }
    }

    private static boolean isNumeric(SpelNode node) {
        return node instanceof StringLiteral literal
                && NUMERIC.matcher(String.valueOf(literal.getLiteralValue().getValue()))
                        .matches();
    }

    private IllegalArgumentException needsNumber(Operator operator, SpelNode text) {
        return new IllegalArgumentException(subject + " uses " + operator.getOperatorName() + " over "
                + text.toStringAST() + ", which is a text: write number(" + text.toStringAST() + ")");
    }

    private void checkIsNoText(SpelNode node, boolean onRoot) {
        if (of(node, onRoot).isText()) {
            throw isNoCondition(node);
        }
    }

    private IllegalArgumentException isNoCondition(SpelNode node) {
        return new IllegalArgumentException(subject + " uses " + node.toStringAST()
                + ", which is a text, as true or false: compare it, such as " + node.toStringAST() + " == 'true'");
    }

    /** A pattern of a caller could take hours, and a broken one would fail each call. */
    private void checkPattern(SpelNode pattern) {
        if (!(pattern instanceof StringLiteral literal)) {
            throw new IllegalArgumentException(
                    subject + " must match a pattern that is written there, such as '[a-z]+', and not "
                            + pattern.toStringAST());
        }
        try {
            Pattern.compile(String.valueOf(literal.getLiteralValue().getValue()));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(subject + " has a broken pattern: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException if the expression is neither true nor false */
    void checkIsCondition(SpelNode expression) {
        Type type = of(expression, true);
        if (type.isText()) {
            throw isNoCondition(expression);
        }
        if (type == Type.NUMBER) {
            throw new IllegalArgumentException(subject + " is a number, and must be true or false: compare it, such as "
                    + expression.toStringAST() + " > 100");
        }
    }

    /**
     * @param readsTexts whether a text of digits is a number
     * @throws IllegalArgumentException if the expression is no number
     */
    void checkIsNumber(SpelNode expression, boolean readsTexts) {
        Type type = of(expression, true);
        if (type == Type.BOOLEAN || type == Type.TEXT) {
            throw new IllegalArgumentException(subject + " is " + (type == Type.TEXT ? "a text" : "true or false")
                    + ", and must be a whole number from 0 on");
        }
        if (type == Type.SENT && !readsTexts) {
            throw new IllegalArgumentException(
                    subject + " is a text, and must be a whole number from 0 on: write number("
                            + expression.toStringAST() + ")");
        }
    }
}
