package io.limiter.spring.key.spel;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Checks an expression when it is parsed, rather than in the first call. All names must exist, and {@link ReadOnlyAccess} must
 * allow all parts.
 *
 * @param subject the expression, for messages
 */
record ExpressionCheck(String subject, Scope<?> scope) {

    private static final ReadOnlyAccess.Properties PROPERTIES = new ReadOnlyAccess.Properties();

    /** @throws IllegalArgumentException if the expression cannot work or is forbidden */
    void check(SpelExpression expression) {
        check(expression.getAST(), true);
        types().of(expression.getAST(), true);
    }

    ExpressionTypes types() {
        return new ExpressionTypes(subject, scope);
    }

    /** @param onRoot whether a plain name belongs to the scope, rather than to another value */
    private void check(SpelNode node, boolean onRoot) {
        if (!ReadOnlyAccess.allows(node, scope.hasObjects())) {
            throw mustNotUse(node);
        }
        if (node instanceof PropertyOrFieldReference property) {
            if (onRoot) {
                fail(scope.problemOf(property.getName()));
            } else if (!scope.hasObjects()) {
                throw mustNotUse(node);
            }
        } else if (node instanceof VariableReference variable) {
            fail(scope.problemOfVariable(nameOf(variable), !onRoot));
        } else if (node instanceof MethodReference call && !(onRoot ? scope.has(call) : ReadOnlyAccess.allows(call))) {
            throw mustNotUse(node);
        } else {
            checkChildren(node, onRoot);
            if (node instanceof CompoundExpression) {
                checkProperties(node);
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

    /** A plain name is the key of a map's entry; anything else belongs to the scope again. */
    private void checkIndex(SpelNode index) {
        if (!(index instanceof PropertyOrFieldReference)) {
            check(index, true);
        }
    }

    /** Rejects methods that are written like properties, as far as types are known. */
    private void checkProperties(SpelNode path) {
        Class<?> type = scope.typeOf(path.getChild(0));
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            // The properties of a map are its entries.
            if (Map.class.isAssignableFrom(type) || !(path.getChild(i) instanceof PropertyOrFieldReference property)) {
                return;
            }
            Class<?> found = PROPERTIES.typeOf(property.getName(), type);
            if (found == null && isMethod(property.getName(), type)) {
                throw mustNotUse(property);
            }
            if (found == null && isMissing(property.getName(), type)) {
                throw new IllegalArgumentException(subject + " uses '" + property.getName()
                        + "', which is no property of " + type.getTypeName() + ": " + scope.allowed());
            }
            type = found;
        }
    }

    /** Whether no value of the type can have the property. A value of a class that is not final may have more, or be a map. */
    private static boolean isMissing(String name, Class<?> type) {
        boolean mayBeMap = type.isInterface() || type == Object.class;
        // Spring 7 reads properties of what is in an Optional.
        return type != Optional.class && Modifier.isFinal(type.getModifiers()) || name.equals("class") && !mayBeMap;
    }

    /** The type of an expression that is the name of a value, or a path of properties; {@code null} if it is unknown. */
    @Nullable
    Class<?> typeOf(SpelNode node) {
        if (!(node instanceof CompoundExpression path)) {
            return scope.typeOf(node);
        }
        Class<?> type = scope.typeOf(path.getChild(0));
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            boolean known = path.getChild(i) instanceof PropertyOrFieldReference && !Map.class.isAssignableFrom(type);
            type = known ? PROPERTIES.typeOf(nameOf(path.getChild(i)), type) : null;
        }
        return type;
    }

    /** Without abstract methods of applications, which a record may implement. */
    private static boolean isMethod(String name, Class<?> type) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method -> method.getName().equals(name)
                        && method.getParameterCount() == 0
                        && (!Modifier.isAbstract(method.getModifiers())
                                || method.getDeclaringClass().getName().startsWith("java.")));
    }

    /** The name of a property or a variable; empty for anything else. */
    static String nameOf(SpelNode node) {
        return node instanceof VariableReference
                ? node.toStringAST().substring(1)
                : node instanceof PropertyOrFieldReference property ? property.getName() : "";
    }

    private IllegalArgumentException mustNotUse(SpelNode node) {
        return new IllegalArgumentException(subject + " must not use " + node.toStringAST() + ": " + scope.allowed());
    }

    private void fail(@Nullable String problem) {
        if (problem != null) {
            throw new IllegalArgumentException(subject + " " + problem);
        }
    }
}
