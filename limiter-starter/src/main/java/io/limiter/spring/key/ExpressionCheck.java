package io.limiter.spring.key;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds out at the start what would otherwise fail in the first call: names that are no arguments, and parts of the
 * language that it must not use. What it lets pass is a list of what is known to only read.
 */
final class ExpressionCheck {

    private static final List<Class<?>> ALLOWED = List.of(
            Literal.class,
            PropertyOrFieldReference.class,
            CompoundExpression.class,
            VariableReference.class,
            Indexer.class,
            Operator.class,
            OperatorNot.class,
            MethodReference.class,
            Ternary.class,
            Elvis.class,
            Selection.class,
            Projection.class,
            InlineList.class);
    private static final List<Class<?>> FORBIDDEN = List.of(OpInc.class, OpDec.class);
    private static final ReadProperties PROPERTIES = new ReadProperties();

    private final String where;
    private final SpelExpression expression;
    private final @Nullable List<String> names;
    private final List<Class<?>> arguments;

    /**
     * @param where the key, cost or condition that the expression is in, for messages
     * @param arguments their types
     */
    ExpressionCheck(String where, SpelExpression expression, String @Nullable [] names, Class<?>[] arguments) {
        this.where = where;
        this.expression = expression;
        this.names = names == null ? null : List.of(names);
        this.arguments = List.of(arguments);
    }

    /** @throws IllegalArgumentException if the expression cannot work or must not be used */
    void run() {
        check(expression.getAST(), true);
    }

    /** @param onArguments whether a plain name means an argument here, rather than a property of something else */
    private void check(SpelNode node, boolean onArguments) {
        if (ALLOWED.stream().noneMatch(type -> type.isInstance(node))
                || FORBIDDEN.stream().anyMatch(type -> type.isInstance(node))
                || node instanceof MethodReference method && !onlyReads(method, onArguments)) {
            throw mustNotUse(node);
        }
        if (node instanceof PropertyOrFieldReference property) {
            if (onArguments) {
                checkArgument(property.getName());
            }
        } else if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), onArguments);
        } else {
            checkChildren(node, onArguments);
            if (node instanceof CompoundExpression) {
                checkProperties(node);
            }
        }
    }

    /** The calls that are known to only read. The arguments themselves have none. */
    private static boolean onlyReads(MethodReference method, boolean onArguments) {
        return !onArguments && method.getChildCount() == 0 && ReadMethods.NAMES.contains(method.getName());
    }

    /** Finds methods that are named as if they were properties, as far as types are known. */
    private void checkProperties(SpelNode path) {
        Class<?> type = typeOf(path.getChild(0));
        for (int i = 1; type != null && i < path.getChildCount(); i++) {
            // The properties of a map are its entries, whatever they are called.
            if (Map.class.isAssignableFrom(type) || !(path.getChild(i) instanceof PropertyOrFieldReference property)) {
                return;
            }
            Class<?> found = PROPERTIES.typeOf(property.getName(), type);
            if (found == null && isMethod(property.getName(), type)) {
                throw mustNotUse(property);
            }
            type = found;
        }
    }

    private @Nullable Class<?> typeOf(SpelNode argument) {
        String name = argument instanceof VariableReference
                ? argument.toStringAST().substring(1)
                : argument instanceof PropertyOrFieldReference property ? property.getName() : "";
        Integer position = CallContext.positions(names == null ? null : names.toArray(String[]::new), arguments.size())
                .get(name);
        return position == null ? null : arguments.get(position);
    }

    /** An abstract one may be that of a record. */
    private static boolean isMethod(String name, Class<?> type) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method -> method.getName().equals(name)
                        && method.getParameterCount() == 0
                        && (!Modifier.isAbstract(method.getModifiers())
                                || method.getDeclaringClass().getName().startsWith("java.")));
    }

    private void checkChildren(SpelNode node, boolean onArguments) {
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (node instanceof Indexer) {
                checkIndex(child);
            } else if (node instanceof CompoundExpression) {
                check(child, onArguments && i == 0);
            } else {
                check(child, onArguments && !(node instanceof Selection) && !(node instanceof Projection));
            }
        }
    }

    /** A plain name is the entry itself if a map is indexed; anything else is looked up from the arguments again. */
    private void checkIndex(SpelNode index) {
        if (!(index instanceof PropertyOrFieldReference)) {
            check(index, true);
        }
    }

    private void checkArgument(String name) {
        if (names == null) {
            throw problem("uses the name of an argument, and the class was compiled without names: compile it with"
                    + " -parameters, or use the position: #{#p0} for the first argument");
        }
        if (!names.contains(name)) {
            throw problem("uses '" + name + "', which is not an argument: the method has " + known());
        }
    }

    private void checkVariable(String name, boolean onArguments) {
        if (!onArguments && name.equals("this") || isPosition(name)) {
            return;
        }
        if (name.equals("this") || name.equals("root")) {
            throw problem("must not use #" + name + ": the method has " + known());
        }
        if (name.matches("[pa]\\d+") && (names == null || !names.contains(name))) {
            throw problem("uses '#" + name + "', and the method has " + known());
        }
        checkArgument(name);
    }

    private boolean isPosition(String name) {
        for (int i = 0; i < arguments.size(); i++) {
            if (name.equals("p" + i) || name.equals("a" + i)) {
                return true;
            }
        }
        return false;
    }

    private String known() {
        if (arguments.isEmpty()) {
            return "no arguments";
        }
        String positions = "#p0" + (arguments.size() == 1 ? "" : " to #p" + (arguments.size() - 1));
        return (names == null ? "" : names + " and ") + positions;
    }

    private IllegalArgumentException mustNotUse(SpelNode node) {
        return problem("must not use " + node.toStringAST() + ": expressions can only read arguments, their properties,"
                + " entries and sizes, trim(), strip() and toLowerCase() texts, and combine them with operators");
    }

    private IllegalArgumentException problem(String problem) {
        return new IllegalArgumentException(
                "#{" + expression.getExpressionString() + "} in the " + where + " " + problem);
    }
}
