package io.limiter.spring.key.spel;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/** The arguments of a method, by name, and as variables by name and by position ({@code #p0} or {@code #a0}). */
final class ArgumentScope extends Scope<@Nullable Object[]> {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final @Nullable List<String> names;
    private final int arguments;

    private ArgumentScope(@Nullable List<String> names, Class<?>[] types) {
        super(values(names, types), Map.of());
        this.names = names;
        this.arguments = types.length;
    }

    static ArgumentScope of(Method method) {
        String[] names = NAMES.getParameterNames(method);
        return new ArgumentScope(names == null ? null : List.of(names), method.getParameterTypes());
    }

    /** A name has precedence over the position of another argument. */
    private static Map<String, Value<@Nullable Object[]>> values(@Nullable List<String> names, Class<?>[] types) {
        Map<String, Value<@Nullable Object[]>> values = new HashMap<>();
        Map<String, Value<@Nullable Object[]>> named = new HashMap<>();
        for (int i = 0; i < types.length; i++) {
            int position = i;
            Value<@Nullable Object[]> value = new Value<>(types[i], arguments -> arguments[position]);
            values.put("p" + i, value);
            values.put("a" + i, value);
            if (names != null) {
                named.put(names.get(i), value);
            }
        }
        values.putAll(named);
        return values;
    }

    @Override
    boolean hasObjects() {
        return true;
    }

    @Override
    @Nullable
    String problemOf(String name) {
        if (names == null) {
            return "uses the name of an argument, and the class was compiled without names: compile it with -parameters,"
                    + " or use the position: #{#p0} for the first argument";
        }
        return names.contains(name)
                ? null
                : "uses '" + name + "', which is not an argument: the method has " + arguments();
    }

    @Override
    @Nullable
    String problemOfVariable(String name, boolean inSelection) {
        if (name.equals("this") || name.equals("root")) {
            boolean isElement = inSelection && name.equals("this");
            return isElement ? null : "must not use #" + name + ": the method has " + arguments();
        }
        if (has(name)) {
            return null;
        }
        return name.matches("[pa]\\d+") ? "uses '#" + name + "', and the method has " + arguments() : problemOf(name);
    }

    @Override
    String allowed() {
        return "expressions can only read arguments, their properties, entries and sizes, trim(), strip() and toLowerCase()"
                + " texts, and combine them with operators";
    }

    private String arguments() {
        if (arguments == 0) {
            return "no arguments";
        }
        String byPosition = "#p0" + (arguments == 1 ? "" : " to #p" + (arguments - 1));
        return (names == null ? "" : names + " and ") + byPosition;
    }
}
