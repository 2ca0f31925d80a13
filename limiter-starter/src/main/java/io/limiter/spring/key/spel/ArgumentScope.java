package io.limiter.spring.key.spel;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;

/**
 * The arguments of a method, by name, and as variables by name and by position ({@code #p0} or {@code #a0}). Of an outcome also
 * {@code result} and {@code exception}, which follow the arguments, and have precedence over arguments of these names.
 */
final class ArgumentScope extends Scope<@Nullable Object[]> {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final @Nullable List<String> names;
    private final int arguments;
    private final Set<String> others;

    /** @param others the values that follow the arguments */
    private ArgumentScope(
            @Nullable List<String> names, Class<?>[] types, Map<String, Value<@Nullable Object[]>> others) {
        super(values(names, types, others), Map.of());
        this.names = names;
        this.arguments = types.length;
        this.others = others.keySet();
    }

    static ArgumentScope of(Method method) {
        return of(method, Map.of());
    }

    /** @param result the type of the result */
    static ArgumentScope ofOutcome(Method method, Class<?> result) {
        int arguments = method.getParameterCount();
        return of(
                method,
                Map.of(
                        "result",
                        new Value<>(result, call -> call[arguments]),
                        "exception",
                        new Value<>(Throwable.class, call -> call[arguments + 1])));
    }

    private static ArgumentScope of(Method method, Map<String, Value<@Nullable Object[]>> others) {
        String[] names = NAMES.getParameterNames(method);
        return new ArgumentScope(names == null ? null : List.of(names), method.getParameterTypes(), others);
    }

    /** A name has precedence over the position of another argument. */
    private static Map<String, Value<@Nullable Object[]>> values(
            @Nullable List<String> names, Class<?>[] types, Map<String, Value<@Nullable Object[]>> others) {
        Map<String, Value<@Nullable Object[]>> values = new HashMap<>();
        Map<String, Value<@Nullable Object[]>> named = new HashMap<>();
        for (int i = 0; i < types.length; i++) {
            int position = i;
            Value<@Nullable Object[]> value = new Value<>(types[i], arguments -> arguments[position]);
            values.put("p" + i, value);
            values.put("a" + i, value);
            // A suspend function of Kotlin has a last parameter that may have no name.
            if (names != null && i < names.size()) {
                named.put(names.get(i), value);
            }
        }
        values.putAll(named);
        values.putAll(others);
        return values;
    }

    @Override
    boolean hasObjects() {
        return true;
    }

    @Override
    @Nullable
    String problemOf(String name) {
        if (others.contains(name)) {
            return null;
        }
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
        return "expressions can only read " + (others.isEmpty() ? "" : "the result, the exception, ")
                + "arguments, their properties, entries and sizes, trim(), strip() and toLowerCase()"
                + " texts, use number(...) and normalize(...), and combine them with operators";
    }

    @Override
    String parts() {
        return others.isEmpty() ? "arguments" : "result, the exception and the arguments";
    }

    /** Names of arguments are internals of the application. */
    @Override
    String sentFor(SpelNode expression) {
        return "";
    }

    private String arguments() {
        return ofMethod() + (others.isEmpty() ? "" : ", and there are result and exception");
    }

    private String ofMethod() {
        if (arguments == 0) {
            return "no arguments";
        }
        String byPosition = "#p0" + (arguments == 1 ? "" : " to #p" + (arguments - 1));
        return (names == null ? "" : names + " and ") + byPosition;
    }
}
