package io.limiter.spring.key;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.TypedValue;

/** The calls that an expression may make: how much is in a collection, a map or a text, and a text in one spelling. */
final class ReadMethods implements MethodResolver {

    static final Set<String> NAMES = Set.of("size", "length", "isEmpty", "trim", "strip", "toLowerCase");

    @Override
    public @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return arguments.isEmpty() && isOf(target.getClass(), name) ? (ctx, object, none) -> call(object, name) : null;
    }

    /** Whether values of a type have such a method. */
    static boolean isOf(Class<?> type, String name) {
        return switch (name) {
            case "size" -> Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
            case "isEmpty" ->
                Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type) || isText(type);
            case "length", "trim", "strip", "toLowerCase" -> isText(type);
            default -> false;
        };
    }

    private static boolean isText(Class<?> type) {
        return CharSequence.class.isAssignableFrom(type);
    }

    private static TypedValue call(Object target, String name) throws AccessException {
        if (!isOf(target.getClass(), name)) {
            throw new AccessException("a " + target.getClass().getTypeName() + " has no " + name + "()");
        }
        if (target instanceof Collection<?> collection) {
            return new TypedValue(name.equals("size") ? collection.size() : collection.isEmpty());
        }
        if (target instanceof Map<?, ?> map) {
            return new TypedValue(name.equals("size") ? map.size() : map.isEmpty());
        }
        String text = target.toString();
        return new TypedValue(
                switch (name) {
                    case "length" -> text.length();
                    case "isEmpty" -> text.isEmpty();
                    case "trim" -> text.trim();
                    case "strip" -> text.strip();
                    // The same key in all instances, whatever language they speak.
                    default -> text.toLowerCase(Locale.ROOT);
                });
    }
}
