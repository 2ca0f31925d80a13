package io.limiter.spring.key.spel;

import io.limiter.spring.key.KeyRequest;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** The properties and methods of {@link KeyRequest}. */
final class RequestScope implements Scope<KeyRequest> {

    private static final Set<String> PROPERTIES = Set.of("method", "path", "ip", "user");
    private static final Set<String> METHODS = Set.of("header", "cookie", "param");

    /** It has no types, beans and constructors. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(
                    new ReadOnlyAccess.Reader<>(KeyRequest.class, RequestScope::property))
            .withAssignmentDisabled()
            .withMethodResolvers(RequestScope::resolve, ReadOnlyAccess.methods())
            .build();

    @Override
    public Function<KeyRequest, @Nullable Object> valueOf(SpelExpression expression) {
        return request -> expression.getValue(READ_ONLY, request);
    }

    /** Whether a checked expression reads the user. */
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

    @Override
    public boolean hasObjects() {
        return false;
    }

    @Override
    public boolean has(MethodReference call) {
        return METHODS.contains(call.getName()) && call.getChildCount() == 1;
    }

    @Override
    public @Nullable String problemOf(String name) {
        return PROPERTIES.contains(name) ? null : "must not use " + name + ": " + allowed();
    }

    @Override
    public String problemOfVariable(String name, boolean inSelection) {
        return "must not use #" + name + ": " + allowed();
    }

    @Override
    public @Nullable Class<?> typeOf(SpelNode name) {
        return null;
    }

    @Override
    public String allowed() {
        return "there are method, path, ip, user, header('...'), cookie('...') and param('...'), their length(), isEmpty(),"
                + " trim(), strip() and toLowerCase(), and operators to combine them";
    }

    private static @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return target instanceof KeyRequest && METHODS.contains(name)
                ? (ctx, request, given) -> new TypedValue(call((KeyRequest) request, name, String.valueOf(given[0])))
                : null;
    }

    private static @Nullable String call(KeyRequest request, String name, String argument) {
        return switch (name) {
            case "header" -> request.header(argument);
            case "cookie" -> request.cookie(argument);
            default -> request.param(argument);
        };
    }

    private static @Nullable String property(KeyRequest request, String name) {
        return switch (name) {
            case "method" -> request.method();
            case "path" -> request.path();
            case "ip" -> request.ip();
            default -> request.user();
        };
    }
}
