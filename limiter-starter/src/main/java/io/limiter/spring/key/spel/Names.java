package io.limiter.spring.key.spel;

import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MethodName;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
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

    static final String IP = "ip";
    static final String USER = "user";
    static final String CLAIM = "claim";
    static final String PARAM = "param";

    /** Shared by all evaluations. It has no types, beans, constructors and assignments. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(
                    new Values.Properties())
            .withAssignmentDisabled()
            .withMethodResolvers(Names::resolve, Values::resolve)
            .build();

    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    /** Names of headers and cookies are tokens of RFC 9110. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Map<String, Fact> FACTS = facts();

    /**
     * A function that reads a fact of a request.
     *
     * @param call how it is called, for messages
     * @param kind what a caller sends for it, for messages that callers see; {@code null} if it takes no name
     */
    record Fact(String call, @Nullable String kind, BiFunction<KeyRequest, String, @Nullable String> of) {

        boolean isNamed() {
            return kind != null;
        }
    }

    /**
     * A fact that an expression reads.
     *
     * @param name such as that of a header; empty if the function takes none
     */
    record Read(String function, String name) {

        @Nullable
        String of(KeyRequest request) {
            Fact fact = FACTS.get(function);
            return fact == null ? null : fact.of().apply(request, name);
        }
    }

    private static Map<String, Fact> facts() {
        Map<String, Fact> facts = new LinkedHashMap<>();
        facts.put(IP, new Fact("ip()", null, (request, name) -> request.ip()));
        facts.put(USER, new Fact("user()", null, (request, name) -> request.user()));
        facts.put("method", new Fact("method()", null, (request, name) -> request.method()));
        facts.put("path", new Fact("path()", null, (request, name) -> request.path()));
        facts.put("header", new Fact("header('X-Tenant')", "header", KeyRequest::header));
        facts.put("cookie", new Fact("cookie('sid')", "cookie", KeyRequest::cookie));
        facts.put(PARAM, new Fact("param('id')", "parameter", KeyRequest::param));
        facts.put(CLAIM, new Fact("claim('tenant')", CLAIM, KeyRequest::claim));
        return facts;
    }

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

    static @Nullable Fact fact(String function) {
        return FACTS.get(function);
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
        Fact fact = node instanceof MethodReference call ? FACTS.get(call.getName()) : null;
        if (fact != null) {
            BiFunction<KeyRequest, String, @Nullable String> of = fact.of();
            String name = nameIn((MethodReference) node);
            return (call, request) -> of.apply(request, name);
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
            Fact fact = FACTS.get(function);
            return fact == null
                    ? Values.call(function, given[0])
                    : fact.of().apply(request, fact.isNamed() ? String.valueOf(given[0]) : "");
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
        Fact fact = FACTS.get(name);
        if (isOfRule()) {
            return "uses '" + name + "', and a rule has no arguments: "
                    + (fact == null ? allowed() : "write " + fact.call());
        }
        if (names == null) {
            return "uses the name of an argument, and the class was compiled without names: compile it with -parameters,"
                    + " or use the position: #{#p0} for the first argument"
                    + (fact == null ? "" : ", or write " + fact.call());
        }
        if (names.contains(name)) {
            return null;
        }
        String problem = "uses '" + name + "', which is not an argument";
        return fact == null
                ? problem + ": the method has " + described()
                : problem + " (the method has " + described() + "): write " + fact.call();
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
        Fact fact = FACTS.get(call.getName());
        if (fact == null) {
            boolean isFunction = Values.isFunction(call.getName()) && call.getChildCount() == 1;
            return isFunction ? null : "must not use " + call.toStringAST() + ": " + allowed();
        }
        String name = nameIn(call);
        boolean valid = fact.isNamed() ? isName(call.getName(), name) : call.getChildCount() == 0;
        return valid ? null : "must not use " + call.toStringAST() + ": write " + fact.call();
    }

    /** Whether there can be a fact of this name. The name of a claim may be a URI. */
    static boolean isName(String function, String name) {
        return switch (function) {
            case PARAM, CLAIM -> !name.isBlank();
            default -> TOKEN.matcher(name).matches();
        };
    }

    /** What expressions can use, for messages. */
    String allowed() {
        String objects = isOfRule()
                ? "expressions can only read"
                : "expressions can only read " + (outcome.isEmpty() ? "" : "the result, the exception, ")
                        + "arguments, their properties, entries and sizes,";
        return objects + " ip(), user(), method(), path(), header('...'), cookie('...'), param('...') and claim('...'),"
                + " length(), isEmpty(), trim(), strip() and toLowerCase() of texts, use number(...) and normalize(...),"
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

    /**
     * What a caller can send for facts, for messages that callers see, such as {@code parameter n}; empty if that is nothing. Names of
     * arguments are internals of the application.
     */
    static String sentFor(Set<Read> facts) {
        Set<String> sent = new LinkedHashSet<>();
        for (Read fact : facts) {
            Fact known = FACTS.get(fact.function());
            if (known != null && known.isNamed()) {
                sent.add(known.kind() + " " + fact.name());
            }
        }
        return String.join(" and ", sent);
    }
}
