package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * What a call is charged once its outcome is known: whether it is charged at all, and how much. Both can be expressions over its
 * result, its exception and its arguments, which can use the same as a key. Safe for use by many threads.
 */
public final class CallCharge {

    private final boolean byStatus;
    private final Condition condition;
    private final @Nullable CallExpression<@Nullable Object[]> actual;

    /** Whether a call is charged. */
    private interface Condition {

        /** @param call its arguments, its result and its exception */
        boolean of(@Nullable Object[] call, @Nullable Throwable exception, int status);
    }

    private CallCharge(boolean byStatus, Condition condition, @Nullable CallExpression<@Nullable Object[]> actual) {
        this.byStatus = byStatus;
        this.condition = condition;
        this.actual = actual;
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
        CallExpression<@Nullable Object[]> actual = settle.isEmpty()
                ? null
                : CallExpression.number(
                        ExpressionSource.of("settle", settle, annotated, ArgumentScope.ofOutcome(annotated, type)),
                        "#{result.usage.total}");
        switch (chargeOn) {
            case "", "always":
                return actual == null ? null : new CallCharge(false, (call, exception, status) -> true, actual);
            case "failure":
                if (actual != null) {
                    throw new IllegalArgumentException("settle '" + settle + "' has no effect with chargeOn failure,"
                            + " because a call that fails has no result: leave one of them out");
                }
                return new CallCharge(false, (call, exception, status) -> exception != null, null);
            case "success":
                return new CallCharge(false, (call, exception, status) -> exception == null, actual);
            default:
                break;
        }
        if (chargeOn.contains("#{")) {
            CallExpression<@Nullable Object[]> condition = CallExpression.condition(
                    ExpressionSource.of("chargeOn", chargeOn, annotated, ArgumentScope.ofOutcome(annotated, type)),
                    "#{result == null or exception != null}");
            return new CallCharge(false, (call, exception, status) -> isTrue(condition, call), actual);
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
        return new CallCharge(true, (call, exception, status) -> statuses.test(status), null);
    }

    /** Whether it is known with the status of a response; otherwise with the outcome of the call. */
    public boolean isByStatus() {
        return byStatus;
    }

    /**
     * How many permits a call is charged for.
     *
     * @param result {@code null} if it has none, or if the status decides
     * @param exception {@code null} if it did not fail, or if the status decides
     * @param status of the response, if that decides
     * @param taken as many as the call took
     * @throws RuntimeException if the outcome makes the condition neither true nor false, or the cost no whole number of at
     *     least 0
     */
    public long of(
            @Nullable Object[] arguments,
            @Nullable Object result,
            @Nullable Throwable exception,
            int status,
            long taken) {
        @Nullable Object[] call = Arrays.copyOf(arguments, arguments.length + 2);
        call[arguments.length] = result;
        call[arguments.length + 1] = exception;
        if (!condition.of(call, exception, status)) {
            return 0;
        }
        return actual == null || exception != null ? taken : actual.number(call);
    }

    /** Also true if it reads something of a null, such as a property of the result of a call that failed. */
    private static boolean isTrue(CallExpression<@Nullable Object[]> condition, @Nullable Object[] call) {
        try {
            return condition.isTrue(call);
        } catch (InvalidLimitArgumentException e) {
            if (e.getCause() != null) {
                return true;
            }
            throw e;
        }
    }
}
