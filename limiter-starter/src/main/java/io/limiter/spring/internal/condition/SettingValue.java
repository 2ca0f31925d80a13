package io.limiter.spring.internal.condition;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;

/** Single properties, read before there are beans. */
public final class SettingValue {

    private SettingValue() {}

    /**
     * Reads a property that is true or false.
     *
     * @param otherwise its value if it is not set
     * @throws InvalidConfigurationPropertyValueException if it is something else, or empty
     */
    public static boolean isTrue(Environment environment, String name, boolean otherwise) {
        return read(environment, name, Boolean.class, otherwise);
    }

    /**
     * Reads a property.
     *
     * @param type {@code Boolean} or an enum
     * @param otherwise its value if it is not set
     * @throws InvalidConfigurationPropertyValueException if it is something else, or empty
     */
    public static <T> T read(Environment environment, String name, Class<T> type, T otherwise) {
        Binder binder = Binder.get(environment);
        BindResult<String> written = binder.bind(name, String.class);
        if (!written.isBound()) {
            return otherwise;
        }
        try {
            // An empty text is bound to nothing, but the record of the module that has the property does not accept it.
            return binder.bind(name, type).orElseThrow(() -> invalid(name, "", type));
        } catch (BindException e) {
            if (e.getCause() instanceof ConversionException) {
                throw invalid(name, written.get(), type);
            }
            throw e;
        }
    }

    private static InvalidConfigurationPropertyValueException invalid(String name, String value, Class<?> type) {
        return new InvalidConfigurationPropertyValueException(name, value, "It must be " + allowed(type) + ".");
    }

    private static String allowed(Class<?> type) {
        return type.isEnum()
                ? Arrays.stream(type.getEnumConstants())
                        .map(constant -> ((Enum<?>) constant)
                                .name()
                                .toLowerCase(Locale.ROOT)
                                .replace('_', '-'))
                        .collect(Collectors.joining(" or "))
                : "true or false (on, yes, 1 and off, no, 0 are allowed, too)";
    }
}
