package io.limiter.spring.key.spel;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The names that the expressions of one key, cost or condition can use, and their values.
 *
 * @param <C> the call
 */
interface Scope<C> {

    /**
     * Finds the value of a checked expression in a call. The function throws an
     * {@link org.springframework.expression.EvaluationException} if it has none.
     */
    Function<C, @Nullable Object> valueOf(SpelExpression expression);

    /** Whether the values are objects of any type; otherwise they are texts. */
    boolean hasObjects();

    /** Whether the scope itself has such a method. */
    boolean has(MethodReference call);

    /** Why there is no value of this name; {@code null} if there is one. */
    @Nullable
    String problemOf(String name);

    /**
     * Why there is no such variable; {@code null} if there is one.
     *
     * @param inSelection whether the variable is used in a selection or projection, which have a {@code #this}
     */
    @Nullable
    String problemOfVariable(String name, boolean inSelection);

    /** The type of a name or a variable; {@code null} if it is unknown. */
    @Nullable
    Class<?> typeOf(SpelNode name);

    /** What expressions can use, for messages. */
    String allowed();
}
