package io.limiter.spring.key.spel;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * The names that the expressions of one key, cost or condition can use, and their values.
 *
 * @param <C> the call
 */
abstract class Scope<C> {

    static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration(SpelCompilerMode.OFF, null);

    /** Shared by all evaluations. It has no types, beans, constructors and assignments. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(
                    new ReadOnlyAccess.Properties())
            .withAssignmentDisabled()
            .withMethodResolvers(Scope::resolve, ReadOnlyAccess::resolve)
            .build();

    private final Map<String, Value<C>> values;
    private final Map<String, BiFunction<C, String, @Nullable String>> methods;

    /** @param methods each has one parameter, a text */
    Scope(Map<String, Value<C>> values, Map<String, BiFunction<C, String, @Nullable String>> methods) {
        this.values = Map.copyOf(values);
        this.methods = Map.copyOf(methods);
    }

    /** A value of a call. */
    record Value<C>(Class<?> type, Function<C, @Nullable Object> of) {}

    /**
     * Finds the value of a checked expression in a call. The function throws an
     * {@link org.springframework.expression.EvaluationException} if it has none. An expression that only names a value is read
     * without SpEL.
     */
    final Function<C, @Nullable Object> valueOf(SpelExpression expression) {
        SpelNode node = expression.getAST();
        Value<C> named = values.get(ExpressionCheck.nameOf(node));
        return named == null ? call -> evaluate(node, new Root<>(this, call)) : named.of();
    }

    private static @Nullable Object evaluate(SpelNode node, Root<?> root) {
        try {
            return node.getValue(new Evaluation(root));
        } catch (ArithmeticException | StackOverflowError | IndexOutOfBoundsException e) {
            // A division by zero, a pattern over a long text, or an index below 0.
            throw new TextFunctions.ArgumentException(e.toString());
        }
    }

    /** The call, whose values are the properties of the root. {@link ExpressionCheck} finds names that do not exist. */
    private record Root<C>(Scope<C> scope, C call) implements ReadOnlyAccess.Named {

        @Override
        public @Nullable Object valueOf(String name) {
            Value<C> value = scope.values.get(name);
            return value == null ? null : value.of().apply(call);
        }

        @Nullable
        Object invoke(String name, @Nullable Object argument) {
            if (TextFunctions.has(name)) {
                return TextFunctions.call(name, argument);
            }
            BiFunction<C, String, @Nullable String> method = scope.methods.get(name);
            return method == null ? null : method.apply(call, String.valueOf(argument));
        }
    }

    /**
     * One evaluation, in which the values are variables, too. They are not copied into a context, because that costs more per
     * call than most expressions.
     */
    private static final class Evaluation extends ExpressionState {

        private final Root<?> root;

        Evaluation(Root<?> root) {
            super(READ_ONLY, new TypedValue(root), CONFIGURATION);
            this.root = root;
        }

        @Override
        public TypedValue lookupVariable(String name) {
            return new TypedValue(root.valueOf(name));
        }
    }

    private static @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return target instanceof Root<?>
                ? (ctx, root, given) -> new TypedValue(((Root<?>) root).invoke(name, given[0]))
                : null;
    }

    final boolean has(String name) {
        return values.containsKey(name);
    }

    /** Whether the scope itself has such a method. */
    final boolean has(MethodReference call) {
        return (TextFunctions.has(call.getName()) || methods.containsKey(call.getName())) && call.getChildCount() == 1;
    }

    /** Whether a method of the scope reads the call, rather than its argument alone. */
    final boolean isOfCall(MethodReference method) {
        return methods.containsKey(method.getName());
    }

    /** The type of a name or a variable; {@code null} if it is unknown. */
    final @Nullable Class<?> typeOf(SpelNode name) {
        Value<C> value = values.get(ExpressionCheck.nameOf(name));
        return value == null ? null : value.type();
    }

    /** Whether the values are objects of any type; otherwise they are texts. */
    abstract boolean hasObjects();

    /** Why there is no value of this name; {@code null} if there is one. */
    abstract @Nullable String problemOf(String name);

    /**
     * Why there is no such variable; {@code null} if there is one.
     *
     * @param inSelection whether the variable is used in a selection or projection, which have a {@code #this}
     */
    abstract @Nullable String problemOfVariable(String name, boolean inSelection);

    /** What expressions can use, for messages. */
    abstract String allowed();

    /** What an expression is over, for messages. */
    abstract String parts();

    /**
     * What a caller can send for an expression, for messages that callers see, such as {@code parameter n}; empty if that must not be
     * shown, or is nothing.
     */
    abstract String sentFor(SpelNode expression);
}
