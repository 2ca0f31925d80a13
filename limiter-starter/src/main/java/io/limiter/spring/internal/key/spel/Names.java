package io.limiter.spring.internal.key.spel;

import io.limiter.spring.internal.key.MethodName;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * What expressions can name, and how it is read. In an annotation these are the arguments of its method, by name, and as variables by name
 * and by position ({@code #p0} or {@code #a0}); where the outcome of a call is known also {@code result} and {@code exception}, which have
 * precedence over arguments of these names. Facts of the request and functions of texts are called, in annotations and rules alike:
 * {@code ip()}, {@code header('X-Tenant')}, {@code number(...)}.
 */
final class Names {

    static final SpelParserConfiguration CONFIGURATION = new SpelParserConfiguration(SpelCompilerMode.OFF, null);

    /** The names of a rule, which has no arguments. */
    static final Names OF_RULE = new Names(null, List.of(), new Class<?>[0], Map.of());

    /** The arguments of a call that has none, such as a request. */
    static final @Nullable Object[] NO_ARGUMENTS = {};

    /** Shared by all evaluations. It has no types, beans, constructors and assignments. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(
                    new Values.Properties())
            .withAssignmentDisabled()
            .withMethodResolvers(Names::resolve, Values::resolve)
            .build();

    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    private final @Nullable Method method;
    private final @Nullable List<String> names;
    private final Map<String, Argument> arguments;
    private final int count;
    private final Set<String> outcome;

    /** An argument of a call, or its outcome, which follows the arguments. */
    private record Argument(Class<?> type, int position) {}

    /** Reads a value of a call, whose arguments and request are given. */
    @FunctionalInterface
    interface Value {

        @Nullable
        Object of(@Nullable Object[] arguments, KeyRequest request);
    }

    /**
     * @param method {@code null} for a rule
     * @param names {@code null} if the class was compiled without the names of arguments
     * @param outcome the values that follow the arguments
     */
    private Names(
            @Nullable Method method, @Nullable List<String> names, Class<?>[] types, Map<String, Argument> outcome) {
        this.method = method;
        this.names = names;
        this.count = types.length;
        this.outcome = outcome.keySet();
        Map<String, Argument> all = new HashMap<>();
        Map<String, Argument> named = new HashMap<>();
        for (int i = 0; i < types.length; i++) {
            Argument argument = new Argument(types[i], i);
            all.put("p" + i, argument);
            all.put("a" + i, argument);
            // A suspend function of Kotlin has a last parameter that may have no name.
            if (names != null && i < names.size()) {
                named.put(names.get(i), argument);
            }
        }
        // A name has precedence over the position of another argument.
        all.putAll(named);
        all.putAll(outcome);
        this.arguments = Map.copyOf(all);
    }

    static Names ofMethod(Method method) {
        return of(method, Map.of());
    }

    /** @param result the type of the result */
    static Names ofOutcome(Method method, Class<?> result) {
        int arguments = method.getParameterCount();
        return of(
                method,
                Map.of(
                        "result", new Argument(result, arguments),
                        "exception", new Argument(Throwable.class, arguments + 1)));
    }

    private static Names of(Method method, Map<String, Argument> outcome) {
        String[] names = DISCOVERER.getParameterNames(method);
        return new Names(method, names == null ? null : List.of(names), method.getParameterTypes(), outcome);
    }

    boolean isOfRule() {
        return method == null;
    }

    /** The method, for messages. */
    String ofMethod() {
        return method == null ? "" : " of " + MethodName.of(method.getDeclaringClass(), method);
    }

    /**
     * Finds the value of a checked expression in a call. It throws an {@link org.springframework.expression.EvaluationException} if the
     * call has none, and what the request throws. An expression that only names an argument or a fact is read without SpEL.
     */
    Value valueOf(SpelExpression expression) {
        SpelNode node = expression.getAST();
        Argument argument = arguments.get(nameOf(node));
        if (argument != null) {
            int position = argument.position();
            return (call, request) -> call[position];
        }
        KeySource source = node instanceof MethodReference call ? KeySource.ofFunction(call.getName()) : null;
        if (source != null) {
            KeySource.Read read = new KeySource.Read(source, nameIn((MethodReference) node));
            return (call, request) -> read.of(request);
        }
        return (call, request) -> evaluate(node, new Root(this, call, request));
    }

    private static @Nullable Object evaluate(SpelNode node, Root root) {
        try {
            return node.getValue(new Evaluation(root));
        } catch (ArithmeticException | StackOverflowError | IndexOutOfBoundsException e) {
            // A division by zero, a pattern over a long text, or an index below 0.
            throw new Values.ArgumentException(e.toString());
        }
    }

    /** The call, whose values are the properties of the root. {@link Expression} finds names that do not exist. */
    private record Root(Names names, @Nullable Object[] arguments, KeyRequest request) implements Values.Named {

        @Override
        public @Nullable Object valueOf(String name) {
            Argument argument = names.arguments.get(name);
            return argument == null ? null : arguments[argument.position()];
        }

        @Nullable
        Object invoke(String function, @Nullable Object[] given) {
            KeySource source = KeySource.ofFunction(function);
            return source == null
                    ? Values.call(function, given[0])
                    : new KeySource.Read(source, source.isNamed() ? String.valueOf(given[0]) : "").of(request);
        }
    }

    /**
     * One evaluation, in which the values are variables, too. They are not copied into a context, because that costs more per
     * call than most expressions.
     */
    private static final class Evaluation extends ExpressionState {

        private final Root root;

        Evaluation(Root root) {
            super(READ_ONLY, new TypedValue(root), CONFIGURATION);
            this.root = root;
        }

        @Override
        public TypedValue lookupVariable(String name) {
            return new TypedValue(root.valueOf(name));
        }
    }

    private static @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> arguments) {
        return target instanceof Root ? (ctx, root, given) -> new TypedValue(((Root) root).invoke(name, given)) : null;
    }

    /** The type of an argument or a variable; {@code null} if there is none of this name. */
    @Nullable
    Class<?> typeOf(String name) {
        Argument argument = arguments.get(name);
        return argument == null ? null : argument.type();
    }

    /** The name of a property or a variable; empty for anything else. */
    static String nameOf(SpelNode node) {
        return node instanceof VariableReference
                ? node.toStringAST().substring(1)
                : node instanceof PropertyOrFieldReference property ? property.getName() : "";
    }

    /** The name that a fact is read by, such as that of a header; empty for none. */
    static String nameIn(MethodReference fact) {
        return fact.getChildCount() == 1 && fact.getChild(0) instanceof StringLiteral name
                ? String.valueOf(name.getLiteralValue().getValue())
                : "";
    }

    /** Why there is no value of this name; {@code null} if there is one. */
    @Nullable
    String problemOf(String name) {
        if (outcome.contains(name)) {
            return null;
        }
        KeySource source = KeySource.ofFunction(name);
        if (isOfRule()) {
            return "uses '" + name + "', and a rule has no arguments: "
                    + (source == null ? allowed() : "write " + source.call());
        }
        if (names == null) {
            return "uses the name of an argument, and the class was compiled without names: compile it with -parameters,"
                    + " or use the position: #{#p0} for the first argument"
                    + (source == null ? "" : ", or write " + source.call());
        }
        if (names.contains(name)) {
            return null;
        }
        String problem = "uses '" + name + "', which is not an argument";
        return source == null
                ? problem + ": the method has " + described()
                : problem + " (the method has " + described() + "): write " + source.call();
    }

    /**
     * Why there is no such variable; {@code null} if there is one.
     *
     * @param inSelection whether the variable is used in a selection or projection, which have a {@code #this}
     */
    @Nullable
    String problemOfVariable(String name, boolean inSelection) {
        if (name.equals("this") || name.equals("root")) {
            boolean isElement = inSelection && name.equals("this");
            return isElement
                    ? null
                    : "must not use #" + name + ": " + (isOfRule() ? allowed() : "the method has " + described());
        }
        if (arguments.containsKey(name)) {
            return null;
        }
        return !isOfRule() && name.matches("[pa]\\d+")
                ? "uses '#" + name + "', and the method has " + described()
                : problemOf(name);
    }

    /** Why a function cannot be called so; {@code null} if it can. */
    @Nullable
    String problemOf(MethodReference call) {
        KeySource source = KeySource.ofFunction(call.getName());
        if (source == null) {
            boolean isFunction = Values.isFunction(call.getName()) && call.getChildCount() == 1;
            return isFunction ? null : "must not use " + call.toStringAST() + ": " + allowed();
        }
        boolean valid = source.isNamed() ? source.hasName(nameIn(call)) : call.getChildCount() == 0;
        return valid ? null : "must not use " + call.toStringAST() + ": write " + source.call();
    }

    /** What expressions can use, for messages. */
    String allowed() {
        String objects = isOfRule()
                ? "expressions can only read"
                : "expressions can only read " + (outcome.isEmpty() ? "" : "the result, the exception, ")
                        + "arguments, their properties, entries and sizes,";
        return objects + " " + KeySource.functions()
                + ", length(), isEmpty(), trim(), strip() and toLowerCase() of texts, use number(...) and normalize(...),"
                + " and combine them with operators";
    }

    /** What an expression is over, for messages. */
    String parts() {
        return isOfRule() ? "request" : outcome.isEmpty() ? "arguments" : "result, the exception and the arguments";
    }

    private String described() {
        String byPosition = count == 0 ? "" : "#p0" + (count == 1 ? "" : " to #p" + (count - 1));
        String all = count == 0 ? "no arguments" : (names == null ? "" : names + " and ") + byPosition;
        return all + (outcome.isEmpty() ? "" : ", and there are result and exception");
    }
}
