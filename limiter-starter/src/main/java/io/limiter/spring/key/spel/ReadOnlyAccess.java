package io.limiter.spring.key.spel;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
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
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/** What expressions may use: parts of the language, methods and properties that only read. */
final class ReadOnlyAccess {

    private static final List<Class<?>> NODES = List.of(
            Literal.class,
            PropertyOrFieldReference.class,
            MethodReference.class,
            CompoundExpression.class,
            Operator.class,
            OperatorNot.class,
            Ternary.class,
            Elvis.class,
            VariableReference.class,
            Indexer.class,
            Selection.class,
            Projection.class,
            InlineList.class);

    /** The operators that write. */
    private static final List<Class<?>> FORBIDDEN_NODES = List.of(OpInc.class, OpDec.class);

    private static final Map<String, Function<Object, Object>> TEXT_METHODS = Map.of(
            "length", text -> text.toString().length(),
            "isEmpty", text -> text.toString().isEmpty(),
            "trim", text -> text.toString().trim(),
            "strip", text -> text.toString().strip(),
            // The same key in all instances, whatever their locale.
            "toLowerCase", text -> text.toString().toLowerCase(Locale.ROOT));

    private static final Set<String> TEXTS_OF_TEXTS = Set.of("trim", "strip", "toLowerCase");

    private static final Map<String, Function<Object, Object>> SIZE_METHODS = Map.of(
            "size", values -> values instanceof Map<?, ?> map ? map.size() : ((Collection<?>) values).size(),
            "isEmpty", values -> values instanceof Map<?, ?> map ? map.isEmpty() : ((Collection<?>) values).isEmpty());

    private ReadOnlyAccess() {}

    /** Whether an expression may have a node of this type. */
    static boolean allows(SpelNode node) {
        return isOneOf(NODES, node) && !isOneOf(FORBIDDEN_NODES, node);
    }

    private static boolean isOneOf(List<Class<?>> types, SpelNode node) {
        return types.stream().anyMatch(type -> type.isInstance(node));
    }

    /** Whether the method may be called on some value. */
    static boolean allows(MethodReference call) {
        return call.getChildCount() == 0
                && (TEXT_METHODS.containsKey(call.getName()) || SIZE_METHODS.containsKey(call.getName()));
    }

    /** Whether the method makes a text of a text. */
    static boolean isOfText(MethodReference call) {
        return allows(call) && TEXTS_OF_TEXTS.contains(call.getName());
    }

    /** Resolves the methods that may be called on a value. */
    static @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return arguments.isEmpty() && methodsOf(target.getClass()).containsKey(name)
                ? (ctx, object, none) -> call(object, name)
                : null;
    }

    private static Map<String, Function<Object, Object>> methodsOf(Class<?> type) {
        if (CharSequence.class.isAssignableFrom(type)) {
            return TEXT_METHODS;
        }
        return Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type) ? SIZE_METHODS : Map.of();
    }

    private static TypedValue call(Object target, String name) throws AccessException {
        // An expression reuses the method of its last evaluation, whose target may have had another type.
        Function<Object, Object> method = methodsOf(target.getClass()).get(name);
        if (method == null) {
            throw new AccessException("a " + target.getClass().getTypeName() + " has no " + name + "()");
        }
        return new TypedValue(method.apply(target));
    }

    /** An object whose properties are not those of its class. */
    interface Named {

        @Nullable
        Object valueOf(String name);
    }

    /**
     * Reads getters, public fields, and methods named like a final field, as records have them. Spring's own accessor reads
     * any method without parameters as a property, such as {@code file.delete}. The properties of a map are its entries. A
     * missing entry is null, unlike a missing property: the caller decides which entries a map has.
     */
    static class Properties extends ReflectivePropertyAccessor {

        Properties() {
            super(false);
        }

        @Override
        public boolean canRead(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
            return target instanceof Named || target instanceof Map || super.canRead(context, target, name);
        }

        @Override
        public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
            if (target instanceof Named named) {
                return new TypedValue(named.valueOf(name));
            }
            return target instanceof Map<?, ?> map ? new TypedValue(map.get(name)) : super.read(context, target, name);
        }

        /** Spring's is for one class, and a name in an expression can be read of several. */
        @Override
        public PropertyAccessor createOptimalAccessor(EvaluationContext context, @Nullable Object target, String name) {
            return this;
        }

        /** The type of a property; {@code null} if the class has none of this name. */
        @Nullable
        Class<?> typeOf(String property, Class<?> type) {
            if (type.isArray() && property.equals("length")) {
                return int.class;
            }
            Method getter = findGetterForProperty(property, type, false);
            if (getter != null) {
                return getter.getReturnType();
            }
            Field field = findField(property, type, false);
            return field == null ? null : field.getType();
        }

        @Override
        protected boolean isCandidateForProperty(Method method, Class<?> targetClass) {
            return method.getDeclaringClass() != Object.class
                    && method.getDeclaringClass() != Class.class
                    && !ClassLoader.class.isAssignableFrom(targetClass)
                    && (isGetter(method.getName())
                            || methodsOf(targetClass).containsKey(method.getName())
                            || isOfField(method, targetClass));
        }

        /** {@code AtomicLong.getAndIncrement()}, for example, writes. */
        private static boolean isGetter(String name) {
            return isPrefixed(name, "is") || isPrefixed(name, "get") && !isPrefixed(name, "getAnd");
        }

        private static boolean isPrefixed(String name, String prefix) {
            return name.startsWith(prefix)
                    && name.length() > prefix.length()
                    && !Character.isLowerCase(name.charAt(prefix.length()));
        }

        private static boolean isOfField(Method method, Class<?> targetClass) {
            for (Class<?> type = targetClass; type != null; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (field.getName().equals(method.getName())
                            && field.getType() == method.getReturnType()
                            && Modifier.isFinal(field.getModifiers())
                            && !Modifier.isStatic(field.getModifiers())) {
                        return true;
                    }
                }
            }
            return false;
        }
    }
}
