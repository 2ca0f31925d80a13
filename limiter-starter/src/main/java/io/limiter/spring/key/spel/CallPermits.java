package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * How many permits a call takes: a fixed number or a cost, if a condition is true. Both are expressions over its arguments, or over a
 * request, which can use the same as a key; see {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 *
 * @param <C> the call: its arguments, or the request
 */
public final class CallPermits<C> {

    private static final String COST = "cost";
    private static final String CONDITION = "condition";

    private final long fixed;
    private final @Nullable CallExpression<C> cost;
    private final @Nullable CallExpression<C> condition;

    private CallPermits(long fixed, @Nullable CallExpression<C> cost, @Nullable CallExpression<C> condition) {
        this.fixed = fixed;
        this.cost = cost;
        this.condition = condition;
    }

    /**
     * @param fixed where there is no cost, at least 1
     * @param cost empty if all calls take the fixed number
     * @param condition empty if the limit applies to all calls
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the number is less than 1, if there is a cost too, or a text is not one expression that can work
     */
    public static CallPermits<@Nullable Object[]> parse(long fixed, String cost, String condition, Method annotated) {
        if (fixed < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + fixed);
        }
        if (fixed != 1 && !cost.isEmpty()) {
            throw new IllegalArgumentException(
                    "permits " + fixed + " has no effect with cost '" + cost + "': leave one of them out");
        }
        ArgumentScope scope = ArgumentScope.of(annotated);
        return new CallPermits<>(
                fixed,
                cost.isEmpty()
                        ? null
                        : CallExpression.number(ExpressionSource.of(COST, cost, annotated, scope), "#{items.size()}"),
                condition.isEmpty()
                        ? null
                        : CallExpression.condition(
                                ExpressionSource.of(CONDITION, condition, annotated, scope), "#{items.size() > 100}"));
    }

    /**
     * The permits of requests, whose cost and condition are expressions over {@link KeyRequest}.
     *
     * @param cost {@code null} for one permit
     * @param condition {@code null} if the limit applies to all requests
     * @throws IllegalArgumentException if a text is not one expression that can work
     */
    public static CallPermits<KeyRequest> ofRequest(@Nullable String cost, @Nullable String condition) {
        return new CallPermits<>(
                1,
                cost == null
                        ? null
                        : CallExpression.number(ExpressionSource.ofRequest(COST, cost), "#{method == 'POST' ? 5 : 1}"),
                condition == null
                        ? null
                        : CallExpression.condition(
                                ExpressionSource.ofRequest(CONDITION, condition), "#{header('X-Internal') == null}"));
    }

    /** The permits of calls without a cost. */
    public long fixed() {
        return fixed;
    }

    /** Whether some calls may skip the limit. */
    public boolean maySkip() {
        return condition != null || cost != null;
    }

    /**
     * The permits of one call, 0 if it skips the limit.
     *
     * @throws InvalidLimitArgumentException if the call makes the condition neither true nor false, or the cost no whole number
     *     from 0 to 2<sup>53</sup> - 1
     */
    public long of(C call) {
        if (condition != null && !condition.isTrue(call)) {
            return 0;
        }
        return cost == null ? fixed : cost.number(call);
    }
}
