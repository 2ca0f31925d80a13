package io.limiter.spring.key.spel;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
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

/** The one list of what expressions may use: parts of the language, methods and properties that are known to only read. */
final class ReadOnlyAccess {

    private static final List<Class<?>> ON_ANY_VALUE = List.of(
            Literal.class,
            PropertyOrFieldReference.class,
            MethodReference.class,
            CompoundExpression.class,
            Operator.class,
            OperatorNot.class,
            Ternary.class,
            Elvis.class);

    /** What is of no use where all values are texts. */
    private static final List<Class<?>> ON_OBJECTS =
            List.of(VariableReference.class, Indexer.class, Selection.class, Projection.class, InlineList.class);

    /** Operators that write. */
    private static final List<Class<?>> FORBIDDEN = List.of(OpInc.class, OpDec.class);

    private static final Set<String> METHODS = Set.of("size", "length", "isEmpty", "trim", "strip", "toLowerCase");

    private static final Properties PROPERTIES = new Properties();

    private ReadOnlyAccess() {}

    /** Whether expressions may have such a part. */
    static boolean allows(SpelNode part, boolean objects) {
        return isOneOf(ON_ANY_VALUE, part) && !isOneOf(FORBIDDEN, part) || objects && isOneOf(ON_OBJECTS, part);
    }

    private static boolean isOneOf(List<Class<?>> types, SpelNode part) {
        return types.stream().anyMatch(type -> type.isInstance(part));
    }

    /** Whether a call is one of a method that may be called on a value. */
    static boolean allows(MethodReference call) {
        return call.getChildCount() == 0 && METHODS.contains(call.getName());
    }

    /** The type of a property; {@code null} if the class has none of this name. */
    static @Nullable Class<?> typeOfProperty(String name, Class<?> type) {
        return PROPERTIES.typeOf(name, type);
    }

    /** Read the properties of objects and the entries of maps. */
    static List<PropertyAccessor> properties() {
        return List.of(new Entries(), PROPERTIES);
    }

    /** Resolves the methods that may be called on a value. */
    static MethodResolver methods() {
        return ReadOnlyAccess::resolve;
    }

    private static @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return arguments.isEmpty() && has(target.getClass(), name) ? (ctx, object, none) -> call(object, name) : null;
    }

    private static boolean has(Class<?> type, String method) {
        boolean isText = CharSequence.class.isAssignableFrom(type);
        boolean isCollection = Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        return switch (method) {
            case "size" -> isCollection;
            case "isEmpty" -> isCollection || isText;
            case "length", "trim", "strip", "toLowerCase" -> isText;
            default -> false;
        };
    }

    private static TypedValue call(Object target, String method) throws AccessException {
        if (!has(target.getClass(), method)) {
            throw new AccessException("a " + target.getClass().getTypeName() + " has no " + method + "()");
        }
        if (target instanceof Collection<?> collection) {
            return new TypedValue(method.equals("size") ? collection.size() : collection.isEmpty());
        }
        if (target instanceof Map<?, ?> map) {
            return new TypedValue(method.equals("size") ? map.size() : map.isEmpty());
        }
        String text = target.toString();
        return new TypedValue(
                switch (method) {
                    case "length" -> text.length();
                    case "isEmpty" -> text.isEmpty();
                    case "trim" -> text.trim();
                    case "strip" -> text.strip();
                    // The same key in all instances, whatever their locale.
                    default -> text.toLowerCase(Locale.ROOT);
                });
    }

    /** Reads properties of one type of objects. Spring has no such base class without methods that write. */
    abstract static class Reader<T> implements PropertyAccessor {

        private final Class<T> type;

        Reader(Class<T> type) {
            this.type = type;
        }

        abstract @Nullable Object read(T target, String name);

        @Override
        public final Class<?>[] getSpecificTargetClasses() {
            return new Class<?>[] {type};
        }

        @Override
        public final boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
            return type.isInstance(target);
        }

        @Override
        public final TypedValue read(EvaluationContext context, @Nullable Object target, String name)
                throws AccessException {
            // An expression tries the accessor of its last evaluation first, without asking whether it can read.
            if (!type.isInstance(target)) {
                throw new AccessException("no " + type.getSimpleName());
            }
            return new TypedValue(read(type.cast(target), name));
        }

        @Override
        public final boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
            return false;
        }

        @Override
        public final void write(
                EvaluationContext context, @Nullable Object target, String name, @Nullable Object newValue)
                throws AccessException {
            throw new AccessException("expressions only read");
        }
    }

    /** A missing entry is null, unlike a missing property of a class: which entries a map has is up to the caller. */
    @SuppressWarnings("rawtypes")
    private static final class Entries extends Reader<Map> {

        Entries() {
            super(Map.class);
        }

        @Override
        @Nullable
        Object read(Map target, String name) {
            return target.get(name);
        }
    }

    /**
     * Reads getters, public fields, and methods that have the name of a final field, as those of records. Spring's own
     * accessor takes any method without parameters for a property of its name, as in {@code file.delete}.
     */
    private static final class Properties extends ReflectivePropertyAccessor {

        Properties() {
            super(false);
        }

        @Nullable
        Class<?> typeOf(String property, Class<?> type) {
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
                            || has(targetClass, method.getName())
                            || isOfField(method, targetClass));
        }

        /** A {@code getAndIncrement}, as of an {@code AtomicLong}, changes what it gets. */
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
