package io.limiter.spring.key;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/** A checked expression over the arguments of a call. What is only an argument is read without the language. */
final class ArgumentExpression {

    private static final int NO_ARGUMENT = -1;

    private final SpelExpression expression;
    private final Map<String, Integer> positions;
    private final int argument;

    /**
     * @param expression checked; what it names is there
     * @param positions see {@link CallContext}
     */
    ArgumentExpression(SpelExpression expression, Map<String, Integer> positions) {
        this.expression = expression;
        this.positions = positions;
        this.argument = argument(expression.getAST(), positions);
    }

    /** The position of the argument whose name or position is all there is to an expression, as in most keys. */
    private static int argument(SpelNode node, Map<String, Integer> positions) {
        String name = null;
        if (node instanceof PropertyOrFieldReference property) {
            name = property.getName();
        } else if (node instanceof VariableReference) {
            name = node.toStringAST().substring(1);
        }
        return name == null ? NO_ARGUMENT : positions.getOrDefault(name, NO_ARGUMENT);
    }

    /** @throws org.springframework.expression.EvaluationException if it has no value */
    @Nullable
    Object value(CallContext call) {
        return argument == NO_ARGUMENT ? expression.getValue(call) : call.argument(argument);
    }

    /** @throws org.springframework.expression.EvaluationException if it has no value */
    @Nullable
    Object value(@Nullable Object[] arguments) {
        return argument == NO_ARGUMENT
                ? expression.getValue(new CallContext(positions, arguments))
                : arguments[argument];
    }

    /** Whether a null on the way is to blame, which callers can send, rather than the expression. */
    static boolean isForNull(RuntimeException thrown) {
        return thrown instanceof SpelEvaluationException e
                && (e.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                        || e.getMessageCode() == SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED
                        || e.getMessageCode() == SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);
    }

    @Override
    public String toString() {
        return "#{" + expression.getExpressionString() + "}";
    }
}
