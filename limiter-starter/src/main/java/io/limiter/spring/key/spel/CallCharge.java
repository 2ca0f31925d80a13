package io.limiter.spring.key.spel;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;

/**
 * What a call is charged once its outcome is known: whether it is charged at all, and how much. Both can be expressions over its
 * result, its exception and its arguments, which can use the same as a key. Safe for use by many threads.
 */
public final class CallCharge {

    private final When when;
    private final @Nullable IntPredicate statuses;
    private final @Nullable CallExpression condition;
    private final @Nullable CallExpression actual;

    private enum When {
        ALWAYS,
        FAILURE,
        SUCCESS,
        STATUS,
        CONDITION
    }

    private CallCharge(
            When when,
            @Nullable IntPredicate statuses,
            @Nullable CallExpression condition,
            @Nullable CallExpression actual) {
        this.when = when;
        this.statuses = statuses;
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
        CallExpression actual = settle.isEmpty()
                ? null
                : CallExpression.parse("settle", settle, annotated, type, "#{result.usage.total}");
        switch (chargeOn) {
            case "", "always":
                return actual == null ? null : new CallCharge(When.ALWAYS, null, null, actual);
            case "failure":
                if (actual != null) {
                    throw new IllegalArgumentException("settle '" + settle + "' has no effect with chargeOn failure,"
                            + " because a call that fails has no result: leave one of them out");
                }
                return new CallCharge(When.FAILURE, null, null, null);
            case "success":
                return new CallCharge(When.SUCCESS, null, null, actual);
            default:
                break;
        }
        if (chargeOn.contains("#{")) {
            CallExpression condition = CallExpression.parse(
                    "chargeOn", chargeOn, annotated, type, "#{result == null or exception != null}");
            return new CallCharge(When.CONDITION, null, condition, actual);
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
        return new CallCharge(When.STATUS, statuses, null, null);
    }

    /** Whether it is known with the status of a response; otherwise with the outcome of the call. */
    public boolean isByStatus() {
        return when == When.STATUS;
    }

    /** How many of the permits that a call took it is charged for. */
    public int ofStatus(int status, int taken) {
        return statuses == null || statuses.test(status) ? taken : 0;
    }

    /**
     * How many permits a call is charged for.
     *
     * @param result {@code null} if it has none
     * @param exception {@code null} if it did not fail
     * @throws RuntimeException if the outcome makes the condition neither true nor false, or the cost no whole number of at
     *     least 0
     */
    public int of(@Nullable Object[] arguments, @Nullable Object result, @Nullable Throwable exception, int taken) {
        @Nullable Object[] call = Arrays.copyOf(arguments, arguments.length + 2);
        call[arguments.length] = result;
        call[arguments.length + 1] = exception;
        boolean charged = switch (when) {
            case FAILURE -> exception != null;
            case SUCCESS -> exception == null;
            case CONDITION -> condition == null || isTrue(condition, call);
            case ALWAYS, STATUS -> true;
        };
        if (!charged) {
            return 0;
        }
        return actual == null || exception != null ? taken : actual.number(call);
    }

    /** Also true if it reads something of a null, such as a property of the result of a call that failed. */
    private static boolean isTrue(CallExpression condition, @Nullable Object[] call) {
        try {
            return condition.isTrue(call);
        } catch (EvaluationException e) {
            if (ExpressionSource.isForNull(e)) {
                return true;
            }
            throw e;
        }
    }
}
