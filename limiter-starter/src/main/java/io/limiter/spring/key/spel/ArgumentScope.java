package io.limiter.spring.key.spel;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.standard.SpelExpression;

/** The arguments of a method, by name, and as variables by name and by position ({@code #p0} or {@code #a0}). */
final class ArgumentScope implements Scope<@Nullable Object[]> {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final @Nullable List<String> names;
    private final List<Class<?>> types;
    private final Map<String, Integer> positions;

    ArgumentScope(Method method) {
        String[] known = NAMES.getParameterNames(method);
        this.names = known == null ? null : List.of(known);
        this.types = List.of(method.getParameterTypes());
        this.positions = positions(names, types.size());
    }

    /** A name has precedence over the position of another argument. */
    private static Map<String, Integer> positions(@Nullable List<String> names, int arguments) {
        Map<String, Integer> positions = new HashMap<>();
        for (int i = 0; i < arguments; i++) {
            positions.put("p" + i, i);
            positions.put("a" + i, i);
        }
        for (int i = 0; names != null && i < names.size(); i++) {
            positions.put(names.get(i), i);
        }
        return Map.copyOf(positions);
    }

    /** An expression that only names an argument is read without SpEL. */
    @Override
    public Function<@Nullable Object[], @Nullable Object> valueOf(SpelExpression expression) {
        Integer position = positions.get(ExpressionCheck.nameOf(expression.getAST()));
        return position == null
                ? arguments -> expression.getValue(new CallContext(positions, arguments))
                : arguments -> arguments[position];
    }

    @Override
    public boolean hasObjects() {
        return true;
    }

    @Override
    public boolean has(MethodReference call) {
        return false;
    }

    @Override
    public @Nullable String problemOf(String name) {
        if (names == null) {
            return "uses the name of an argument, and the class was compiled without names: compile it with -parameters,"
                    + " or use the position: #{#p0} for the first argument";
        }
        return names.contains(name)
                ? null
                : "uses '" + name + "', which is not an argument: the method has " + arguments();
    }

    @Override
    public @Nullable String problemOfVariable(String name, boolean inSelection) {
        if (inSelection && name.equals("this") || isPosition(name)) {
            return null;
        }
        if (name.equals("this") || name.equals("root")) {
            return "must not use #" + name + ": the method has " + arguments();
        }
        if (name.matches("[pa]\\d+") && (names == null || !names.contains(name))) {
            return "uses '#" + name + "', and the method has " + arguments();
        }
        return problemOf(name);
    }

    private boolean isPosition(String name) {
        return name.matches("[pa]\\d+") && positions.containsKey(name);
    }

    @Override
    public @Nullable Class<?> typeOf(SpelNode name) {
        Integer position = positions.get(ExpressionCheck.nameOf(name));
        return position == null ? null : types.get(position);
    }

    @Override
    public String allowed() {
        return "expressions can only read arguments, their properties, entries and sizes, trim(), strip() and toLowerCase()"
                + " texts, and combine them with operators";
    }

    private String arguments() {
        if (types.isEmpty()) {
            return "no arguments";
        }
        String byPosition = "#p0" + (types.size() == 1 ? "" : " to #p" + (types.size() - 1));
        return (names == null ? "" : names + " and ") + byPosition;
    }
}
