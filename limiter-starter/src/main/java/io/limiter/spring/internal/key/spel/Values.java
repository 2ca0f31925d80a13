package io.limiter.spring.internal.key.spel;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/**
 * What expressions read of values: their properties, a few methods, their texts, and the functions {@code number(...)} and
 * {@code normalize(...)}. Nothing of it changes a value.
 */
final class Values {

    static final String NUMBER = "number";
    private static final String NORMALIZE = "normalize";

    private static final Map<String, Function<Object, Object>> FUNCTIONS =
            Map.of(NUMBER, Values::number, NORMALIZE, value -> normalize(value.toString()));

    /** Without exponents, which would let a few characters stand for a number of gigabytes. */
    private static final Pattern WHOLE = Pattern.compile("[+-]?\\d{1,18}");

    private static final Pattern FRACTION = Pattern.compile("[+-]?\\d{1,18}\\.\\d{1,9}");
    private static final Pattern NORMAL = Pattern.compile("[\\x21-\\x7e&&[^A-Z]]*");

    /** Controls, marks without a width, and those that only choose between two forms of a character. */
    private static final Pattern INVISIBLE = Pattern.compile(
            "[\\p{Cc}\\p{Cf}\\x{34f}\\x{115f}\\x{1160}\\x{17b4}\\x{17b5}\\x{3164}\\x{fe00}-\\x{fe0f}\\x{ffa0}"
                    + "\\x{e0100}-\\x{e01ef}]");

    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private static final Map<String, Function<Object, Object>> TEXT_METHODS = Map.of(
            "length", text -> text.toString().length(),
            "isEmpty", text -> text.toString().isEmpty(),
            "trim", text -> text.toString().trim(),
            "strip", text -> text.toString().strip(),
            // The same key in all instances, whatever their locale.
            "toLowerCase", text -> text.toString().toLowerCase(Locale.ROOT));

    private static final Map<String, Function<Object, Object>> SIZE_METHODS = Map.of(
            "size", values -> values instanceof Map<?, ?> map ? map.size() : ((Collection<?>) values).size(),
            "isEmpty", values -> values instanceof Map<?, ?> map ? map.isEmpty() : ((Collection<?>) values).isEmpty());

    private Values() {}

    /** The type of what a method of a value returns; {@code null} if no expression may call it. */
    static @Nullable Class<?> typeOf(MethodReference call) {
        if (call.getChildCount() > 0) {
            return null;
        }
        return switch (call.getName()) {
            case "length", "size" -> int.class;
            case "isEmpty" -> boolean.class;
            case "trim", "strip", "toLowerCase" -> String.class;
            default -> null;
        };
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

    /** Whether no value of the type can have the property. A value of a class that is not final may have more, or be a map. */
    static boolean isMissing(String name, Class<?> type) {
        boolean mayBeMap = type.isInterface() || type == Object.class;
        // Spring 7 reads properties of what is in an Optional.
        return type != Optional.class && Modifier.isFinal(type.getModifiers()) || name.equals("class") && !mayBeMap;
    }

    /** Whether the name is that of a method, and not of an abstract one of the application, which a record may implement. */
    static boolean isMethod(String name, Class<?> type) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method ->
                        method.getName().equals(name) && method.getParameterCount() == 0 && isImplemented(method));
    }

    private static boolean isImplemented(Method method) {
        return !Modifier.isAbstract(method.getModifiers())
                || method.getDeclaringClass().getName().startsWith("java.");
    }

    /** Whether values of a type have a text, rather than the {@code toString()} of {@link Object}, which differs each time. */
    static boolean hasText(Class<?> type) {
        return HAS_TEXT.get(type);
    }

    static String noText(Class<?> type) {
        return "a " + type.getTypeName()
                + " has no toString() of its own, so it would be another text each time: use one of its properties";
    }

    /**
     * The value's {@code toString()}; of an {@link Optional}, the text of its content.
     *
     * @throws IllegalArgumentException if the class inherits {@code toString()} from {@link Object}, so that each call would
     *     have another key
     */
    static @Nullable String textOf(@Nullable Object value) {
        Object content = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (content == null) {
            return null;
        }
        if (!hasText(content.getClass())) {
            throw new IllegalArgumentException(noText(content.getClass()));
        }
        return content.toString();
    }

    /** Whether there is a function of this name. */
    static boolean isFunction(String name) {
        return FUNCTIONS.containsKey(name);
    }

    /** @throws EvaluationException if the function has no result for the value */
    static @Nullable Object call(String name, @Nullable Object value) {
        Function<Object, Object> function = FUNCTIONS.get(name);
        return value == null || function == null ? null : function.apply(value);
    }

    /**
     * The number that a text of at most 18 digits is, perhaps with a point and at most 9 more. Results of whole numbers are exact
     * however large they become, so that no caller can make a product overflow into a small one.
     */
    private static Object number(Object value) {
        if (value instanceof Number) {
            return value;
        }
        String text = value.toString();
        if (WHOLE.matcher(text).matches()) {
            return new BigInteger(text);
        }
        if (FRACTION.matcher(text).matches()) {
            return new BigDecimal(text);
        }
        throw new ArgumentException(
                "number() needs a text of at most 18 digits, perhaps with a point and at most 9 more");
    }

    /**
     * The same text for all that look the same, as far as Unicode says so: compatible and composed characters (NFKC), lower case, nothing
     * that is invisible, and no spaces at its ends.
     */
    private static String normalize(String text) {
        if (NORMAL.matcher(text).matches()) {
            return text;
        }
        String visible = INVISIBLE
                .matcher(Normalizer.normalize(text, Normalizer.Form.NFKC))
                .replaceAll("");
        // Compared in upper case, because some letters have two lower ones, such as the sigma.
        String lower = visible.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).replace('\u03c2', '\u03c3');
        return Normalizer.normalize(lower, Normalizer.Form.NFKC).strip();
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

    /** A failure of an expression that the caller's values cause. */
    static final class ArgumentException extends EvaluationException {

        private static final long serialVersionUID = 1L;

        ArgumentException(String message) {
            super(message);
        }

        /** It costs little, because callers can cause as many as they like. */
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
