package io.limiter.spring.internal.key.spel;

import io.limiter.spring.internal.key.spel.Expression.Text;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * What a call is charged once its outcome is known: whether it is charged at all, and how much. Both can be expressions over its
 * result, its exception, its arguments and its request, which can use the same as a key. Safe for use by many threads.
 */
public final class CallCharge {

    private final boolean byStatus;
    private final Condition condition;
    private final @Nullable Expression actual;
    private final Set<KeySource.Read> facts;

    /** Whether a call is charged. */
    private interface Condition {

        /** @param call its arguments, its result and its exception */
        boolean of(@Nullable Object[] call, KeyRequest request, @Nullable Throwable exception, int status);
    }

    private CallCharge(
            boolean byStatus, Condition condition, @Nullable Expression actual, @Nullable Expression expression) {
        this.byStatus = byStatus;
        this.condition = condition;
        this.actual = actual;
        Set<KeySource.Read> all = new LinkedHashSet<>();
        Stream.of(Optional.ofNullable(actual), Optional.ofNullable(expression))
                .flatMap(Optional::stream)
                .forEach(each -> all.addAll(each.facts()));
        this.facts = Set.copyOf(all);
    }

    /**
     * @param chargeOn which calls are charged: {@code always} or empty, {@code failure}, {@code success}, HTTP statuses, or an
     *     expression
     * @param settle an expression for the actual cost; empty if calls are charged for the permits that they took
     * @param annotated the method that declares the arguments
     * @param result the type of its result, or of the value of the future or publisher that it returns
     * @return {@code null} if all calls are charged for the permits that they took
     * @throws IllegalArgumentException if a text cannot be parsed, or an expression cannot work or is forbidden
     */
    public static @Nullable CallCharge parse(String chargeOn, String settle, Method annotated, ResolvableType result) {
        Class<?> type = result.resolve(Object.class);
        if (!settle.isEmpty() && (type == void.class || type == Void.class)) {
            throw new IllegalArgumentException(
                    "settle '" + settle + "' needs a result, and the method has none: leave it out, or use a cost");
        }
        Names names = Names.ofOutcome(annotated, type);
        Expression actual =
                settle.isEmpty() ? null : Expression.number(Text.of("settle", settle, names), "#{result.usage.total}");
        switch (chargeOn) {
            case "", "always":
                return actual == null
                        ? null
                        : new CallCharge(false, (call, request, exception, status) -> true, actual, null);
            case "failure":
                if (actual != null) {
                    throw new IllegalArgumentException("settle '" + settle + "' has no effect with chargeOn failure,"
                            + " because a call that fails has no result: leave one of them out");
                }
                return new CallCharge(false, (call, request, exception, status) -> exception != null, null, null);
            case "success":
                return new CallCharge(false, (call, request, exception, status) -> exception == null, actual, null);
            default:
                break;
        }
        if (chargeOn.contains("#{")) {
            Expression condition = Expression.condition(
                    Text.of("chargeOn", chargeOn, names), "#{result == null or exception != null}");
            return new CallCharge(
                    false, (call, request, exception, status) -> isTrue(condition, call, request), actual, condition);
        }
        IntPredicate statuses = ChargedStatuses.statuses(chargeOn);
        if (statuses == null) {
            throw new IllegalArgumentException(
                    "chargeOn must be always, failure, success, HTTP statuses such as 401,403"
                            + " or 4xx, or an expression such as #{result == null or exception != null}, was '"
                            + chargeOn
                            + "'");
        }
        if (actual != null) {
            throw new IllegalArgumentException("settle '" + settle
                    + "' settles the permits when the method returns, and"
                    + " chargeOn '" + chargeOn + "' later, with the response: use chargeOn success, or leave one of"
                    + " them out");
        }
        return new CallCharge(true, (call, request, exception, status) -> statuses.test(status), null, null);
    }

    /** Whether it is known with the status of a response; otherwise with the outcome of the call. */
    public boolean isByStatus() {
        return byStatus;
    }

    /** The facts that the expressions read. */
    public Needs needs() {
        return Needs.of(facts);
    }

    /**
     * The facts of a request that the expressions read, which are kept until the outcome is known: then the request may be over.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if there is no request
     */
    public KeyRequest kept(KeyRequest request) {
        if (facts.isEmpty()) {
            return request;
        }
        Map<KeySource.Read, String> values = new HashMap<>();
        for (KeySource.Read fact : facts) {
            values.put(fact, fact.of(request));
        }
        return new KeptFacts(values);
    }

    /** The facts of a request that were kept, and nothing else. */
    private record KeptFacts(Map<KeySource.Read, String> values) implements KeyRequest {

        private @Nullable String of(KeySource source, String name) {
            return values.get(new KeySource.Read(source, name));
        }

        @Override
        public String method() {
            return String.valueOf(of(KeySource.METHOD, ""));
        }

        @Override
        public String path() {
            return String.valueOf(of(KeySource.PATH, ""));
        }

        @Override
        public String ip() {
            return String.valueOf(of(KeySource.IP, ""));
        }

        @Override
        public @Nullable String user() {
            return of(KeySource.USER, "");
        }

        @Override
        public @Nullable String header(String name) {
            return of(KeySource.HEADER, name);
        }

        @Override
        public @Nullable String cookie(String name) {
            return of(KeySource.COOKIE, name);
        }

        @Override
        public @Nullable String param(String name) {
            return of(KeySource.PARAM, name);
        }

        @Override
        public @Nullable String claim(String name) {
            return of(KeySource.CLAIM, name);
        }
    }

    /**
     * How many permits a call is charged for.
     *
     * @param request the facts that were {@linkplain #kept kept}
     * @param result {@code null} if it has none, or if the status decides
     * @param exception {@code null} if it did not fail, or if the status decides
     * @param status of the response, if that decides
     * @param taken the permits that the call took
     * @throws RuntimeException if the outcome makes the condition neither true nor false, or the cost no number of at
     *     least 0
     */
    public long of(
            @Nullable Object[] arguments,
            KeyRequest request,
            @Nullable Object result,
            @Nullable Throwable exception,
            int status,
            long taken) {
        @Nullable Object[] call = Arrays.copyOf(arguments, arguments.length + 2);
        call[arguments.length] = result;
        call[arguments.length + 1] = exception;
        if (!condition.of(call, request, exception, status)) {
            return 0;
        }
        return actual == null || exception != null ? taken : actual.number(call, request);
    }

    /** Whether it is true, or reads something of a null, such as a property of the result of a call that failed. */
    private static boolean isTrue(Expression condition, @Nullable Object[] call, KeyRequest request) {
        try {
            return condition.isTrue(call, request);
        } catch (InvalidLimitArgumentException e) {
            if (e.getCause() != null) {
                return true;
            }
            throw e;
        }
    }
}
