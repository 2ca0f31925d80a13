package io.limiter.spring.key.spel;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;

/** The names that the expressions of one key, cost or condition can use. */
interface Scope {

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
