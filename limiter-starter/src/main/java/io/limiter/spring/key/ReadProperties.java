package io.limiter.spring.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/**
 * Reads properties: by getters, by public fields, and by methods that have the name of a final field, as those of records
 * do. Spring's own takes any method without parameters for a property of its name, as in {@code file.delete}.
 */
final class ReadProperties extends ReflectivePropertyAccessor {

    ReadProperties() {
        super(false);
    }

    /** The type of a property; {@code null} if the class has none of this name. */
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
                        || ReadMethods.isOf(targetClass, method.getName())
                        || isOfField(method, targetClass));
    }

    /** Those that are called getAndSomething, as of an {@code AtomicLong}, change what they get. */
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
