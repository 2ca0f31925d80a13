package io.limiter.spring.key;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** Checks and evaluates expressions over {@link RequestFacts}. They can read those, combine and compare them, and no more. */
final class RequestExpressions {

    private static final Set<String> PROPERTIES = Set.of("method", "path", "ip", "user");
    private static final Set<String> CALLS = Set.of("header", "cookie", "param");
    private static final List<Class<?>> ALLOWED = List.of(
            Literal.class,
            PropertyOrFieldReference.class,
            CompoundExpression.class,
            Operator.class,
            OperatorNot.class,
            MethodReference.class,
            Ternary.class,
            Elvis.class);
    private static final List<Class<?>> FORBIDDEN = List.of(OpInc.class, OpDec.class);

    /** It knows no types, beans and constructors. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(new Properties())
            .withAssignmentDisabled()
            .withMethodResolvers(new Calls(), new ReadMethods())
            .build();

    private RequestExpressions() {}

    /** @throws org.springframework.expression.EvaluationException if it has no value */
    static @Nullable Object value(SpelExpression expression, RequestFacts request) {
        return expression.getValue(READ_ONLY, request);
    }

    /** @throws IllegalArgumentException if the expression cannot work or must not be used */
    static void check(SpelExpression expression) {
        check(expression.getAST(), true, expression);
    }

    /** Whether an expression that was checked asks for the user. */
    static boolean usesUser(SpelNode node) {
        if (node instanceof PropertyOrFieldReference property
                && property.getName().equals("user")) {
            return true;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (usesUser(node.getChild(i))) {
                return true;
            }
        }
        return false;
    }

    private static void check(SpelNode node, boolean onRequest, SpelExpression expression) {
        boolean known = ALLOWED.stream().anyMatch(type -> type.isInstance(node))
                && FORBIDDEN.stream().noneMatch(type -> type.isInstance(node));
        if (node instanceof PropertyOrFieldReference property) {
            known = onRequest && PROPERTIES.contains(property.getName());
        } else if (node instanceof MethodReference call) {
            known = onRequest
                    ? CALLS.contains(call.getName()) && call.getChildCount() == 1
                    : ReadMethods.NAMES.contains(call.getName()) && call.getChildCount() == 0;
        }
        if (!known) {
            throw new IllegalArgumentException("#{" + expression.getExpressionString() + "} must not use "
                    + node.toStringAST() + ": there are method, path, ip, user, header('...'), cookie('...') and"
                    + " param('...'), their length(), isEmpty(), trim(), strip() and toLowerCase(), and operators to"
                    + " combine them");
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean ofOther = node instanceof CompoundExpression && i > 0;
            check(node.getChild(i), !ofOther, expression);
        }
    }

    private static final class Properties implements PropertyAccessor {

        @Override
        public Class<?>[] getSpecificTargetClasses() {
            return new Class<?>[] {RequestFacts.class};
        }

        @Override
        public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
            return target instanceof RequestFacts;
        }

        @Override
        public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
            if (!(target instanceof RequestFacts request)) {
                throw new AccessException("not a request");
            }
            return new TypedValue(
                    switch (name) {
                        case "method" -> request.method();
                        case "path" -> request.path();
                        case "ip" -> request.ip();
                        default -> request.user();
                    });
        }

        @Override
        public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
            return false;
        }

        @Override
        public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object newValue)
                throws AccessException {
            throw new AccessException("expressions only read");
        }
    }

    private static final class Calls implements MethodResolver {

        @Override
        public @Nullable MethodExecutor resolve(
                EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
            return target instanceof RequestFacts && CALLS.contains(name)
                    ? (ctx, request, given) -> call((RequestFacts) request, name, String.valueOf(given[0]))
                    : null;
        }

        private static TypedValue call(RequestFacts request, String name, String argument) {
            return new TypedValue(
                    switch (name) {
                        case "header" -> request.header(argument);
                        case "cookie" -> request.cookie(argument);
                        default -> request.param(argument);
                    });
        }
    }
}
