package io.limiter.spring.key;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.TypedValue;

/** The calls that an expression may make: how much is in a collection, a map or a text. */
final class SizeMethods implements MethodResolver {

    static final Set<String> NAMES = Set.of("size", "length", "isEmpty");

    @Override
    public @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return arguments.isEmpty() && sizeOf(target, name) != null ? (ctx, object, none) -> call(object, name) : null;
    }

    private static TypedValue call(Object target, String name) throws AccessException {
        Object size = sizeOf(target, name);
        if (size == null) {
            throw new AccessException("a " + target.getClass().getTypeName() + " has no " + name + "()");
        }
        return new TypedValue(size);
    }

    private static @Nullable Object sizeOf(Object target, String name) {
        if (target instanceof Collection<?> collection) {
            return name.equals("size") ? collection.size() : name.equals("isEmpty") ? collection.isEmpty() : null;
        }
        if (target instanceof Map<?, ?> map) {
            return name.equals("size") ? map.size() : name.equals("isEmpty") ? map.isEmpty() : null;
        }
        if (target instanceof CharSequence text) {
            return name.equals("length") ? text.length() : name.equals("isEmpty") ? text.length() == 0 : null;
        }
        return null;
    }
}
